/** The cookie with a signed-in owner's session. */
export const SESSION_COOKIE = '__Host-bowline';
/** Ties a sign-in form to the browser that received it. */
export const FORM_COOKIE = '__Host-bowline-form';

/** Makes a cookie that no script reads, no other site sends with a form, and no other host can set. */
export function setCookie(name: string, value: string, maxAgeSeconds?: number): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${age}`;
}

export function clearCookie(name: string): string {
  return setCookie(name, '', 0);
}

/** Reads a cookie. Gives `undefined` if it came twice, because then somebody added one. */
export function readCookie(request: Request, name: string): string | undefined {
  const values = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
