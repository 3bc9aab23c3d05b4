// Unpacks gzip data member by member, up to what is no member: servers send garbage behind a file, and node:zlib drops what it has then.
//
// Each member is deflate data between a header and a trailer with a checksum; a file may have several (RFC 1952 §2.2). A stream for each costs 50 µs, so that
// of the many that only an attack has, the rest is unpacked by node:zlib in one go.
import { gzipDataAt } from '@avocet/core/store'
import zlib from 'node:zlib'

const MOST_MEMBERS = 1_000
/** Checksum and size. */
const TRAILER_BYTES = 8

/** The content of `body`, in pieces of at most `chunkSize` bytes. Throws after the last of them where a member is cut off or damaged. */
export async function* gunzipped(body: Uint8Array, chunkSize: number): AsyncGenerator<Uint8Array> {
  const options = { chunkSize, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  let start = 0
  for (let members = 0; members < MOST_MEMBERS; members++) {
    const from = gzipDataAt(body, start)
    if (from === undefined) {
      if (members === 0) throw new Error('no whole header')
      return
    }
    const inflate = zlib.createInflateRaw(options)
    inflate.end(body.subarray(from))
    let checksum = 0
    for await (const piece of inflate) {
      checksum = zlib.crc32(piece as Uint8Array, checksum)
      yield piece as Uint8Array
    }
    const trailer = from + inflate.bytesWritten
    if (trailer + TRAILER_BYTES > body.length) throw new Error('unexpected end of file')
    if (new DataView(body.buffer, body.byteOffset + trailer).getUint32(0, true) !== checksum)
      throw new Error('incorrect data check')
    start = trailer + TRAILER_BYTES
  }
  const rest = zlib.createGunzip(options)
  rest.end(body.subarray(start))
  for await (const piece of rest) yield piece as Uint8Array
}
