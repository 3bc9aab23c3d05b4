// What a file is: by its first bytes, else as the server says. Pure. From that its extension, which never comes from the URL: `photo.php` is no script.
//
// Source of the signatures: the WHATWG MIME Sniffing standard §6, and the formats themselves.

/** Bytes that are looked at. */
export const HEAD_BYTES = 64

interface Signature {
  readonly type: string
  /** In Latin-1; `?` is any byte. */
  readonly starts: string
  /** Where it starts; default 0. */
  readonly at?: number
}

const SIGNATURES: readonly Signature[] = [
  { type: 'image/jpeg', starts: '\xff\xd8\xff' },
  { type: 'image/png', starts: '\x89PNG\r\n\x1a\n' },
  { type: 'image/gif', starts: 'GIF87a' },
  { type: 'image/gif', starts: 'GIF89a' },
  { type: 'image/webp', starts: 'RIFF????WEBP' },
  { type: 'audio/wav', starts: 'RIFF????WAVE' },
  { type: 'image/avif', starts: 'ftypavif', at: 4 },
  { type: 'image/avif', starts: 'ftypavis', at: 4 },
  { type: 'image/heic', starts: 'ftypheic', at: 4 },
  { type: 'video/quicktime', starts: 'ftypqt  ', at: 4 },
  { type: 'audio/mp4', starts: 'ftypM4A', at: 4 },
  { type: 'video/mp4', starts: 'ftyp', at: 4 },
  { type: 'image/tiff', starts: 'II*\0' },
  { type: 'image/tiff', starts: 'MM\0*' },
  { type: 'image/bmp', starts: 'BM????\0\0\0\0' },
  { type: 'image/x-icon', starts: '\0\0\x01\0' },
  { type: 'application/pdf', starts: '%PDF-' },
  { type: 'application/postscript', starts: '%!PS' },
  { type: 'video/webm', starts: '\x1aE\xdf\xa3' },
  { type: 'audio/ogg', starts: 'OggS' },
  { type: 'audio/flac', starts: 'fLaC' },
  { type: 'audio/mpeg', starts: 'ID3' },
  { type: 'audio/mpeg', starts: '\xff\xfb' },
  { type: 'font/woff2', starts: 'wOF2' },
  { type: 'font/woff', starts: 'wOFF' },
  { type: 'application/gzip', starts: '\x1f\x8b\x08' },
  { type: 'application/x-7z-compressed', starts: "7z\xbc\xaf'\x1c" },
  { type: 'application/vnd.rar', starts: 'Rar!\x1a\x07' },
  { type: 'application/zip', starts: 'PK\x03\x04' },
  { type: 'application/zip', starts: 'PK\x05\x06' },
]

/** Every extension that a file can get. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ 'image/jpeg': 'jpg', 'image/png': 'png', 'image/gif': 'gif', 'image/webp': 'webp', 'image/avif': 'avif' }),
  ...Object.entries({ 'image/heic': 'heic', 'image/tiff': 'tiff', 'image/bmp': 'bmp', 'image/x-icon': 'ico' }),
  ...Object.entries({ 'image/svg+xml': 'svg', 'audio/wav': 'wav', 'audio/mp4': 'm4a', 'audio/ogg': 'ogg', 'audio/flac': 'flac' }),
  ...Object.entries({ 'audio/mpeg': 'mp3', 'video/mp4': 'mp4', 'video/quicktime': 'mov', 'video/webm': 'webm' }),
  ...Object.entries({ 'application/pdf': 'pdf', 'application/postscript': 'ps', 'application/rtf': 'rtf' }),
  ...Object.entries({ 'font/woff2': 'woff2', 'font/woff': 'woff', 'application/gzip': 'gz', 'application/zip': 'zip' }),
  ...Object.entries({ 'application/x-7z-compressed': '7z', 'application/vnd.rar': 'rar', 'application/epub+zip': 'epub' }),
  ...Object.entries({ 'text/plain': 'txt', 'text/csv': 'csv', 'text/html': 'html', 'text/xml': 'xml', 'application/xml': 'xml' }),
  ...Object.entries({ 'application/json': 'json', 'application/x-ndjson': 'jsonl', 'text/calendar': 'ics', 'text/vcard': 'vcf' }),
  ...Object.entries({ 'application/msword': 'doc', 'application/vnd.ms-excel': 'xls', 'application/vnd.ms-powerpoint': 'ppt' }),
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
])

/** Formats that are a zip file: their first bytes say no more. */
const IN_ZIP = /^application\/(?:epub\+zip|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.)/
/** What servers say of a file that they know nothing of. */
const UNKNOWN = /^(?:(?:application|binary)\/octet-stream|application\/(?:x-download|force-download|unknown)|unknown\/unknown)$/
const TYPE_PATTERN = /^[\w.+-]+\/(?:\*|[\w.+-]+)$/

/** What a file is found to be. */
export interface FileType {
  /** Empty: nobody knows. */
  readonly contentType: string
  /** Without a dot. */
  readonly extension: string
}

/** The essence of a Content-Type field in lower case; empty where it says nothing of the file. */
export function saidType(field: string | undefined): string {
  const essence = (field ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return UNKNOWN.test(essence) || !TYPE_PATTERN.test(essence) ? '' : essence
}

/** What a file is that begins with `head`, and of which its server says `said`. */
export function fileType(head: Uint8Array, said: string): FileType {
  const seen = seenType(head)
  const contentType = seen === undefined || (seen === 'application/zip' && IN_ZIP.test(said)) ? said : seen
  return { contentType, extension: EXTENSIONS.get(contentType) ?? 'bin' }
}

/** The content type of a finished file, by its extension; `said`, where that has the same one, or is all that is known. */
export function typeOfPath(path: string, said: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1)
  if (extension === 'bin' || EXTENSIONS.get(said) === extension) return said
  return [...EXTENSIONS].find(([, each]) => each === extension)?.[0] ?? said
}

/** What the first bytes say; undefined: nothing. */
function seenType(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES)).toString('latin1')
  return SIGNATURES.find(({ starts, at = 0 }) => text.length >= at + starts.length && matches(text, starts, at))?.type
}

/** Whether `type` is one of `wanted`; of nothing else than a content type or a whole group (`image/*`) is asked. */
export function isWanted(type: string, wanted: readonly string[] | undefined): boolean {
  return (
    wanted === undefined ||
    wanted.some((each) => {
      const pattern = each.toLowerCase()
      return pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1)))
    })
  )
}

/** Whether `text` may be wanted: `image/png`, `image/*`. */
export function isTypePattern(text: string): boolean {
  return TYPE_PATTERN.test(text)
}

function matches(text: string, starts: string, at: number): boolean {
  for (let n = 0; n < starts.length; n++) if (starts[n] !== '?' && starts[n] !== text[at + n]) return false
  return true
}
