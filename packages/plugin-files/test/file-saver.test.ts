// How one body comes to the disk: hashed on the way, resumed where that is certain, and nothing left of what is not wanted.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesIn, temporaryFolder } from './temporary-folder.ts'
import { FileSaver } from '../src/file-saver.ts'
import { drained, folderAt, KEY, NOON, save, type Answer } from './saving.ts'

const MIB = 2 ** 20
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(3 * MIB, 'pixel')])
const BIG = Buffer.concat(Array.from({ length: 20 }, (_, n) => Buffer.alloc(MIB, `piece ${n}`)))
const ETAG = { etag: '"v1"' }

const sha = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')
const pieces = (body: Uint8Array, size = 65_536): Uint8Array[] =>
  Array.from({ length: Math.ceil(body.byteLength / size) }, (_, n) => body.subarray(n * size, (n + 1) * size))
const whole = (body: Uint8Array, headers: Answer['headers'] = {}): Answer => ({
  headers: { 'content-length': String(body.byteLength), ...headers },
  body: pieces(body),
})
const cut = (body: Uint8Array, at: number, headers: Answer['headers'] = {}): Answer => ({
  ...whole(body, headers),
  body: pieces(body.subarray(0, at)),
  isCut: true,
})
const rest = (body: Uint8Array, from: number, headers: Answer['headers'] = {}): Answer => ({
  status: 206,
  headers: { 'content-range': `bytes ${from}-${body.byteLength - 1}/${body.byteLength}`, ...headers },
  body: pieces(body.subarray(from)),
})

describe('a file that is saved', () => {
  it('is named by its content, with an extension by its first bytes, for its owner alone', async () => {
    const root = temporaryFolder()
    const { sent, outcome } = await save(folderAt(root), whole(PNG, { 'content-type': 'text/html' }), { to: 'images/teas' })

    const name = `${sha(PNG)}.png`
    const path = `images/teas/${name.slice(0, 2)}/${name}`
    expect(sent).toEqual({ 'accept-encoding': 'identity' })
    expect(outcome).toEqual({ path, sha256: sha(PNG), bytes: PNG.byteLength })
    expect(filesIn(root)).toEqual([path])
    expect(readFileSync(join(root, path)).equals(PNG)).toBe(true)
    expect([statSync(join(root, path)).mode & 0o777, statSync(join(root, 'images')).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it('may be empty', async () => {
    const root = temporaryFolder()

    const { outcome } = await save(folderAt(root), { headers: { 'content-length': '0' } })

    expect(outcome).toMatchObject({ bytes: 0, sha256: sha(Buffer.alloc(0)) })
    expect(filesIn(root)).toEqual([`e3/${sha(Buffer.alloc(0))}.bin`])
  })

  it('is there once, however often it comes', async () => {
    const root = temporaryFolder()
    const first = await save(folderAt(root), whole(PNG))
    const second = await save(folderAt(root), whole(PNG))

    expect(second.outcome).toEqual(first.outcome)
    expect(filesIn(root)).toHaveLength(1)
  })

  it.each([
    ['with another type at its headers', whole(PNG, { 'content-type': 'text/html; charset=utf-8' }), 'AVO_FILE_TYPE'],
    [
      'with another type in its first bytes',
      whole(BIG.subarray(0, MIB), { 'content-type': 'application/octet-stream' }),
      'AVO_FILE_TYPE',
    ],
    [
      'that announces more than it may have',
      whole(PNG, { 'content-type': 'image/png', 'content-length': '4000001' }),
      'AVO_BODY_TOO_LARGE',
    ],
    ['that has more than it may have', { headers: { 'content-type': 'image/png' }, body: pieces(BIG) }, 'AVO_BODY_TOO_LARGE'],
    ['with a content coding', whole(PNG, { 'content-encoding': 'gzip' }), 'AVO_DECODE_FAILED'],
    ['of which a part comes that was not asked for', rest(PNG, 100), 'AVO_FILE_RANGE'],
    ['that has less than it announced', whole(PNG, { 'content-length': String(PNG.byteLength + 1) }), 'AVO_TRUNCATED'],
  ] as const)('%s is refused, and nothing is left of it', async (_, answer, code) => {
    const root = temporaryFolder()

    const { outcome } = await save(folderAt(root), answer, { types: ['image/*'], maxBytes: 4_000_000 })

    expect(outcome).toMatchObject({ code, blame: 'url' })
    expect(filesIn(root)).toEqual([])
  })

  it('of a type that nobody names is judged by its first bytes', async () => {
    const { outcome } = await save(folderAt(temporaryFolder()), whole(PNG), { types: ['image/*'] })

    expect(outcome).toMatchObject({ sha256: sha(PNG) })
  })

  it.each([404, 204, 304])('is not what an answer %s brings', async (status) => {
    const root = temporaryFolder()

    expect((await save(folderAt(root), { status, body: [PNG] })).outcome).toBe('read')
    expect(filesIn(root)).toEqual([])
  })

  it('never goes through a link', async () => {
    const root = temporaryFolder()
    const elsewhere = temporaryFolder()
    symlinkSync(elsewhere, join(root, 'images'))

    const { outcome } = await save(folderAt(root), whole(PNG), { to: 'images' })

    expect(outcome).toMatchObject({ code: 'AVO_FILE_UNWRITABLE', blame: 'local' })
    expect(filesIn(elsewhere)).toEqual([])
  })
})

describe('a file that was interrupted', () => {
  it('goes on where it was, for another process, and has the hash of the whole', async () => {
    const root = temporaryFolder()
    await save(folderAt(root), cut(BIG, 11 * MIB, ETAG))

    const { sent, outcome } = await save(folderAt(root), rest(BIG, 11 * MIB, ETAG))

    expect(sent).toEqual({ 'accept-encoding': 'identity', range: `bytes=${11 * MIB}-`, 'if-range': '"v1"' })
    expect(outcome).toEqual({ path: expect.any(String), sha256: sha(BIG), bytes: BIG.byteLength })
    expect(filesIn(root)).toHaveLength(1)
  })

  it('goes on where it was, also where several are looked for at once', async () => {
    const root = temporaryFolder()
    const keys = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
    for (const key of keys) await save(folderAt(root), cut(PNG, MIB, ETAG), { key })
    const folder = folderAt(root)

    const found = await Promise.all(keys.map((key) => folder.find(key)))

    expect(found.map((left) => left?.name.key)).toEqual(keys)
  })

  it('goes on twice', async () => {
    const root = temporaryFolder()
    await save(folderAt(root), cut(BIG, 3 * MIB, ETAG))
    await save(folderAt(root), { ...rest(BIG, 3 * MIB, ETAG), body: pieces(BIG.subarray(3 * MIB, 9 * MIB)), isCut: true })

    expect((await save(folderAt(root), rest(BIG, 9 * MIB, ETAG))).outcome).toMatchObject({ sha256: sha(BIG) })
  })

  it('has its extension by its first bytes, also where those came long ago', async () => {
    const root = temporaryFolder()
    await save(folderAt(root), cut(PNG, 10, ETAG))

    expect((await save(folderAt(root), rest(PNG, 10, ETAG))).outcome).toMatchObject({
      path: expect.stringMatching(/\.png$/),
      sha256: sha(PNG),
    })
  })

  it.each([
    ['all of it', whole(BIG, { etag: '"v2"' })],
    ['all of it without a word on its size', { body: pieces(BIG) }],
  ] as const)('starts over where the server sends %s', async (_, answer) => {
    const root = temporaryFolder()
    await save(folderAt(root), cut(PNG, MIB, ETAG))

    expect((await save(folderAt(root), answer)).outcome).toMatchObject({ sha256: sha(BIG) })
    expect(filesIn(root)).toHaveLength(1)
  })

  it.each([
    ['begins elsewhere', { 'content-range': `bytes 0-${PNG.byteLength - 1}/${PNG.byteLength}` }],
    ['is of another size', { 'content-range': `bytes ${MIB}-${PNG.byteLength}/${PNG.byteLength + 1}` }],
    ['ends early', { 'content-range': `bytes ${MIB}-${MIB + 9}/${PNG.byteLength}` }],
    ['is of another version', { 'content-range': `bytes ${MIB}-${PNG.byteLength - 1}/${PNG.byteLength}`, etag: '"v2"' }],
    ['says nothing', {}],
    ['says nonsense', { 'content-range': 'bytes 9-1/7' }],
  ])('is forgotten where a part comes that %s, so that the next request asks for all', async (_, headers) => {
    const root = temporaryFolder()
    await save(folderAt(root), cut(PNG, MIB, ETAG))

    const { outcome } = await save(folderAt(root), { status: 206, headers, body: pieces(PNG.subarray(MIB)) })

    expect(outcome).toMatchObject({ code: 'AVO_FILE_RANGE' })
    expect(filesIn(root)).toEqual([])
    expect((await save(folderAt(root), whole(PNG))).sent).toEqual({ 'accept-encoding': 'identity' })
  })

  it.each([
    ['no validator', {}],
    ['a weak one', { etag: 'W/"v1"' }],
    ['a date that is too young', { 'last-modified': 'Tue, 24 Nov 2026 11:59:30 GMT', date: 'Tue, 24 Nov 2026 12:00:00 GMT' }],
    ['a date, and none of the answer', { 'last-modified': 'Tue, 24 Nov 2026 11:00:00 GMT' }],
  ])('is not resumed with %s, and leaves nothing', async (_, headers) => {
    const root = temporaryFolder()

    await save(folderAt(root), cut(PNG, MIB, headers))

    expect(filesIn(root)).toEqual([])
  })

  it('is resumed by a date of a minute before', async () => {
    const root = temporaryFolder()
    const dates = { 'last-modified': 'Tue, 24 Nov 2026 11:59:00 GMT', date: 'Tue, 24 Nov 2026 12:00:00 GMT' }
    await save(folderAt(root), cut(PNG, MIB, dates))

    const { sent, outcome } = await save(folderAt(root), rest(PNG, MIB))

    expect(sent['if-range']).toBe('Tue, 24 Nov 2026 11:59:00 GMT')
    expect(outcome).toMatchObject({ sha256: sha(PNG) })
  })

  it('is forgotten where a part comes of another date', async () => {
    const root = temporaryFolder()
    const dates = { 'last-modified': 'Tue, 24 Nov 2026 11:59:00 GMT', date: 'Tue, 24 Nov 2026 12:00:00 GMT' }
    await save(folderAt(root), cut(PNG, MIB, dates))

    const { outcome } = await save(folderAt(root), rest(PNG, MIB, { 'last-modified': 'Tue, 24 Nov 2026 12:30:00 GMT' }))

    expect(outcome).toMatchObject({ code: 'AVO_FILE_RANGE' })
    expect(filesIn(root)).toEqual([])
  })

  it.each([
    ['of another length', { 'content-length': String(2 * MIB) }, 'AVO_FILE_RANGE'],
    ['of no length that is said, which ends early', {}, 'AVO_TRUNCATED'],
  ])('is requested whole after a 200 with the same ETag, %s: it was the rest', async (_what, length, code) => {
    const root = temporaryFolder()
    await save(folderAt(root), cut(PNG, MIB, ETAG))

    const { outcome } = await save(folderAt(root), { headers: { ...length, ...ETAG }, body: pieces(PNG.subarray(MIB, 3 * MIB)) })
    const again = await save(folderAt(root), whole(PNG, ETAG))

    expect(outcome).toMatchObject({ code })
    expect(again).toMatchObject({ sent: { 'accept-encoding': 'identity' }, outcome: { sha256: sha(PNG) } })
    expect(again.sent).not.toHaveProperty('range')
  })

  it('is forgotten where nobody says of what size the whole is: the part that comes may end early', async () => {
    const root = temporaryFolder()
    await save(folderAt(root), { headers: ETAG, body: pieces(PNG.subarray(0, MIB)), isCut: true })

    const headers = { ...ETAG, 'content-range': `bytes ${MIB}-${MIB + 9}/*` }
    const { outcome } = await save(folderAt(root), { status: 206, headers, body: pieces(PNG.subarray(MIB, MIB + 10)) })

    expect(outcome).toMatchObject({ code: 'AVO_FILE_RANGE' })
  })

  it('is not taken from another crawl of this process that writes it', async () => {
    const root = temporaryFolder()
    const mine = new Set<string>()
    const first = folderAt(root, undefined, mine)
    const saver = new FileSaver(first, { key: KEY, maxBytes: BIG.byteLength, left: undefined, troubled: () => undefined })
    saver.accepts({ status: 200, headers: { ...ETAG, 'content-length': String(BIG.byteLength) } })
    for (const piece of pieces(BIG.subarray(0, 12 * MIB), MIB)) if (saver.write(piece) !== true) await drained(saver)
    const second = await save(folderAt(root, undefined, mine), whole(BIG, ETAG))
    for (const piece of pieces(BIG.subarray(12 * MIB), MIB)) if (saver.write(piece) !== true) await drained(saver)
    const outcome = await new Promise((done) => saver.end(done))

    expect(second.sent).toEqual({ 'accept-encoding': 'identity' })
    expect(outcome).toEqual(second.outcome)
    await first.settled()
    expect(filesIn(root)).toHaveLength(1)
  })

  it('is not taken from a process that writes it', async () => {
    const root = temporaryFolder()
    const machine = 'ffffffff-1-00000000'
    mkdirSync(join(root, '.part'))
    const theirs = join(root, '.part', `0123456789abcdef0123456789abcdef.${machine}`)
    writeFileSync(theirs, PNG.subarray(0, MIB))
    utimesSync(theirs, NOON / 1_000, NOON / 1_000 - 3_599)
    writeFileSync(`${theirs}.json`, JSON.stringify({ format: 1, bytes: MIB, etag: '"v1"', total: PNG.byteLength }))

    const { sent, outcome } = await save(folderAt(root), whole(PNG))

    expect(sent).toEqual({ 'accept-encoding': 'identity' })
    expect(outcome).toMatchObject({ sha256: sha(PNG) })
    expect(readFileSync(theirs).byteLength).toBe(MIB)
  })
})
