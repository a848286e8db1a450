/** A script or a style sheet for browsers, as the text that `scripts/browser-text.ts` builds of it. */
declare module '*?text' {
  const text: string;
  export default text;
}
