type Plist = string | number | boolean | Plist[] | { [key: string]: Plist };

/** Reads an XML property list, and refuses whatever a strict reader of XML or of property lists would. */
export function readPlist(text: string): Plist {
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';
  if (!text.startsWith(head)) throw new Error('It does not begin as a property list does');
  const tokens = tokensOf(text.slice(head.length));
  const take = (expected?: string): string => {
    const token = tokens.shift();
    if (token === undefined || (expected !== undefined && token !== expected)) {
      throw new Error(`Expected ${expected ?? 'more'}, found ${token ?? 'the end'}`);
    }
    return token;
  };
  const textUntil = (end: string): string => {
    const content = tokens[0]?.startsWith('<') === false ? take() : '';
    take(end);
    return content.replace(/&(\w+);|&/g, (_, name: string | undefined) => entity(name));
  };
  const value = (open: string): Plist => {
    switch (open) {
      case '<true/>':
        return true;
      case '<false/>':
        return false;
      case '<string>':
        return textUntil('</string>');
      case '<integer>': {
        const number = textUntil('</integer>');
        if (!/^-?\d+$/.test(number)) throw new Error(`${number} is no integer`);
        return Number(number);
      }
      case '<array>': {
        const items: Plist[] = [];
        for (;;) {
          const next = take();
          if (next === '</array>') return items;
          items.push(value(next));
        }
      }
      case '<dict>': {
        const entries = new Map<string, Plist>();
        for (;;) {
          const next = take();
          if (next === '</dict>') return Object.fromEntries(entries);
          if (next !== '<key>') throw new Error(`Expected a key, found ${next}`);
          const key = textUntil('</key>');
          if (entries.has(key)) throw new Error(`${key} is there twice`);
          entries.set(key, value(take()));
        }
      }
      default:
        throw new Error(`${open} is no value`);
    }
  };
  take('<plist version="1.0">');
  const read = value(take());
  take('</plist>');
  if (tokens.length > 0) throw new Error(`${tokens[0]} comes after the end`);
  return read;
}

/** Tags and texts in order; white space between tags is none, unless it is all that a string holds. */
function tokensOf(xml: string): string[] {
  const tokens = xml.match(/<[^<>]*>|[^<>]+/g) ?? [];
  if (tokens.join('') !== xml) throw new Error('It is not well-formed');
  return tokens.filter((token, at) => {
    const inText = /^<(?:string|key|integer)>$/.test(tokens[at - 1] ?? '');
    if (!token.startsWith('<') && !inText && token.trim() !== '')
      throw new Error(`${token} stands between tags`);
    return token.startsWith('<') || inText;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entity(name: string | undefined): string {
  const meant = name === undefined ? undefined : ENTITIES[name];
  if (meant === undefined) throw new Error('An ampersand stands for itself');
  return meant;
}
