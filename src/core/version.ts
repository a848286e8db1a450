/** The product's version; a test holds it equal to both package.json files. */
export const VERSION = '0.1.0';
