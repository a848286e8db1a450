/** A PDF of as many pages, each with one line of text, or with none. */
export function pdfOf(pages: readonly string[], info = ''): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ')}] >>`,
  );
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((text, i) => {
    const content = text === '' ? '' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + i * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  if (info) add(info);
  let file = '%PDF-1.4\n';
  const places = objects.map((body, i) => {
    const place = file.length;
    file += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return place;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const place of places) file += `${String(place).padStart(10, '0')} 00000 n \n`;
  const more = info ? ` /Info ${objects.length} 0 R` : '';
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${more} >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
