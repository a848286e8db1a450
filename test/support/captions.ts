/** Speech as a list of lines, and the ways in which programs write it down. */
export type Speech = readonly string[];

const clock = (seconds: number, separator = '.') =>
  `${[seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((n) => String(Math.floor(n)).padStart(2, '0')).join(':')}${separator}000`;

export const writers = {
  'WebVTT with numbers': (lines: Speech) =>
    `WEBVTT\n\n${lines.map((line, i) => `${i + 1}\n${clock(i)} --> ${clock(i + 1)}\n${line}\n`).join('\n')}`,
  'WebVTT with settings and notes': (lines: Speech) =>
    `\ufeffWEBVTT - made by a program\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE nobody says this\nnor this\n\n${lines
      .map((line, i) => `${clock(i)} --> ${clock(i + 1)} align:start line:0\n<v.loud><i>${line}</i>\n`)
      .join('\n')}`,
  'WebVTT of Teams': (lines: Speech) =>
    `WEBVTT\r\n\r\n${lines.map((line, i) => `0a1b-c2/${i}-0\r\n${clock(i)} --> ${clock(i + 1)}\r\n<v Ada Lovelace>${line}</v>\r\n`).join('\r\n')}`,
  SRT: (lines: Speech) =>
    lines
      .map((line, i) => `${i + 1}\r\n${clock(i, ',')} --> ${clock(i + 1, ',')}\r\n${line}\r\n`)
      .join('\r\n'),
  'SRT without empty lines': (lines: Speech) =>
    lines.map((line, i) => `${i + 1}\n${clock(i, ',')} --> ${clock(i + 1, ',')}\n♪ ${line}\n`).join(''),
  'times in brackets': (lines: Speech) =>
    lines.map((line, i) => `[${clock(i).slice(0, 8)}] ${line}`).join('\n'),
  'times on lines of their own': (lines: Speech) => lines.map((line, i) => `${i}:00\n${line}`).join('\n'),
  'Otter turns': (lines: Speech) => lines.map((line, i) => `Ada Lovelace  ${i}:05  \n${line}\n`).join('\n'),
  'Zoom turns': (lines: Speech) =>
    lines.map((line, i) => `[Ada Lovelace] ${clock(i).slice(0, 8)}\n${line}\n`).join('\n'),
  'YouTube captions that roll': (lines: Speech) =>
    `WEBVTT\nKind: captions\nLanguage: en\n\n${lines
      .map((line, i) => {
        const [first = '', ...words] = line.split(' ');
        const timed = [first, ...words.map((word) => `<${clock(i)}><c> ${word}</c>`)].join('');
        const times = `${clock(i * 2)} --> ${clock(i * 2 + 1)} align:start position:0%`;
        return `${times}\n${lines[i - 1] ?? ' '}\n${timed}\n\n${clock(i * 2 + 1)} --> ${clock(i * 2 + 1)} align:start position:0%\n${line}\n \n`;
      })
      .join('\n')}`,
} as const;
