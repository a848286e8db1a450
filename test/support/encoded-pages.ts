/** A word in an encoding that is not UTF-8: its name, its bytes, and what they say. */
export const encodedWords: readonly [label: string, bytes: readonly number[], word: string][] = [
  ['shift_jis', [0x8d, 0x60], '港'],
  ['euc-jp', [0xb9, 0xc1], '港'],
  ['gbk', [0xb8, 0xdb], '港'],
  ['gb18030', [0xb8, 0xdb], '港'],
  ['big5', [0xb4, 0xe4], '港'],
  ['euc-kr', [0xc7, 0xd7], '항'],
  ['windows-1251', [0xcf, 0xee, 0xf0, 0xf2], 'Порт'],
  ['koi8-r', [0xf0, 0xcf, 0xd2, 0xd4], 'Порт'],
  ['iso-8859-2', [0xb3, 0xf3, 0x64, 0xbc], 'łódź'],
  ['iso-8859-7', [0xeb, 0xe9, 0xec, 0xdc, 0xed, 0xe9], 'λιμάνι'],
  ['windows-1252', [0x4d, 0xf4, 0x6c, 0x65, 0x80], 'Môle€'],
  ['iso-8859-1', [0x4d, 0xf4, 0x6c, 0x65, 0x80], 'Môle€'],
  ['windows-874', [0xb7, 0xe8, 0xd2], 'ท่า'],
  ['windows-1256', [0xe3, 0xed, 0xe4, 0xc7, 0xc1], 'ميناء'],
];

/** A page whose one paragraph is these bytes. */
export function pageOf(bytes: readonly number[], head = ''): Uint8Array {
  const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));
  return new Uint8Array([
    ...ascii(`<html><head>${head}</head><body><p>`),
    ...bytes,
    ...ascii('</p></body></html>'),
  ]);
}
