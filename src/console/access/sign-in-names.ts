/** The field for a one-time code, which the script fills from the address. */
export const CODE_FIELD = 'code';
/** The id of the form that signs in. */
export const CODE_FORM = 'sign-in';
/** The text before the code in the address. Browsers send nothing behind `#`, so the code stands in no log. */
export const CODE_MARK = '#code=';
