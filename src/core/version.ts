/** The product's version. A test compares it with both package.json files. */
export const VERSION = '0.1.0';
