/** The name of the token that `bowline up` makes for itself at each start. No app of the owner's has it. */
export const UP_TOKEN = 'bowline up';
