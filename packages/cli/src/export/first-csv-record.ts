// Reads the header back from a CSV file, so that a resumed export knows its columns.

/**
 * Cells of the first record of `text` (RFC 4180), or undefined when there is none.
 *
 * @example
 * ```ts
 * firstCsvRecord('name,"price, net"\n1,2\n') // ['name', 'price, net']
 * ```
 */
export function firstCsvRecord(text: string): string[] | undefined {
  const cells: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy
  cell.lastIndex = text.startsWith('\ufeff') ? 1 : 0
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quoted, plain = '', end] = match
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',') break
  }
  return cells.length === 1 && cells[0] === '' ? undefined : cells
}
