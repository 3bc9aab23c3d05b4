// The charset of a list: by its byte order mark, its XML declaration, the header field of its answer, else UTF-8.

import { TextDecoder } from 'node:util'

/** Bytes that are looked at for a declaration. */
const HEAD_BYTES = 1_024
const DECLARED = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/
const IN_FIELD = /charset\s*=\s*["']?([\w.:-]{1,40})/i

/** A decoder for a list that begins with `head`; `contentType`: of its answer. */
export function listDecoder(head: Uint8Array, contentType = ''): TextDecoder {
  const [first = 0, second = 0, third = 0] = head
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder('utf-8')
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  // `<` in two bytes, without a mark.
  if (first === 0x3c && second === 0) return new TextDecoder('utf-16le')
  if (first === 0 && second === 0x3c) return new TextDecoder('utf-16be')
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES)).toString('latin1')
  return decoderOf(DECLARED.exec(text)?.[1]) ?? decoderOf(IN_FIELD.exec(contentType)?.[1]) ?? new TextDecoder('utf-8')
}

/** None for a charset that is unknown. A declaration that could be read was not written in UTF-16. */
function decoderOf(name: string | undefined): TextDecoder | undefined {
  if (name === undefined || /^utf-?16/i.test(name)) return undefined
  try {
    return new TextDecoder(name)
  } catch {
    return undefined
  }
}
