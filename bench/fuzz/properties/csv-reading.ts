// Reads CSV back as RFC 4180 says, character by character: what spreadsheets and libraries do, and no parser of ours.

/** Records of `text`. A line ends with CR LF or LF; what stands in quotes is as it stands, with doubled quotes as one. */
export function csvRecords(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at)
      else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === ',') {
      record.push(cell)
      cell = ''
    } else if (character === '\n' || (character === '\r' && text.charAt(at + 1) === '\n')) {
      if (character === '\r') at++
      records.push([...record, cell])
      record = []
      cell = ''
    } else cell += character
  }
  if (cell !== '' || record.length > 0) records.push([...record, cell])
  return records
}
