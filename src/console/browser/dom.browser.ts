type Kind<Of extends Element> = new () => Of;

/** Finds an element of the page by its id. A page without it is a mistake of ours, so this throws. */
export function byId<Of extends HTMLElement>(id: string, kind: Kind<Of>): Of {
  return checked(document.getElementById(id), kind, `#${id}`);
}

/** Finds the first element below `root` that fits the selector, and throws if there is none. */
export function first<Of extends Element>(root: ParentNode, selector: string, kind: Kind<Of>): Of {
  return checked(root.querySelector(selector), kind, selector);
}

/** Finds a field of a form by its name, and throws if there is none. */
export function field<Of extends HTMLElement>(form: HTMLFormElement, name: string, kind: Kind<Of>): Of {
  return first(form, `[name="${name}"]`, kind);
}

function checked<Of>(found: unknown, kind: new () => Of, what: string): Of {
  if (found instanceof kind) return found;
  throw new Error(`This page has no ${what}.`);
}

/** Reads a page of ours out of an answer. Its scripts do not run. */
export async function pageIn(answer: Response): Promise<Document> {
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}
