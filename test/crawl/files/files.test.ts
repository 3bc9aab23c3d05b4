// Files that a spider saves: each once, with a row for each reference, whatever redirects, fails, comes twice or is asked for again.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, spider, type Spider } from 'avocet'
import { file, files, type DownloadOptions, type FileRecord } from '@avocet/plugin-files'
import { withoutOutsideEffects } from '../../../packages/project/src/plan/left-out.ts'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HTML, runs, type Run } from '../runs.ts'

const SITE = 'http://shop.test'
const PDF = '%PDF-1.7 a manual'
const SHA = createHash('sha256').update(PDF).digest('hex')
const pdf = { headers: { 'content-type': 'application/pdf' }, body: PDF }

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const page = (...images: readonly string[]): { headers: typeof HTML; body: string } => ({
  headers: HTML,
  body: images.map((src) => `<img src="${src}">`).join(''),
})

/** An item with a reference for each image of its pages. */
function withFiles(options: DownloadOptions = {}, paths: readonly string[] = ['/']): Spider {
  return spider({
    name: 'images',
    seeds: paths.map((path) => ({ url: `${SITE}${path}`, again: true })),
    scope: { within: 'seed-hosts' },
    handlers: {
      *start(at) {
        for (const image of at.$('img')) {
          const found = file(at, at.$(image).attr('src'), options)
          yield found
          yield { file: found.ref }
        }
      },
    },
  })
}

const rowsOf = (run: Run | undefined): readonly FileRecord[] =>
  (run?.ofDocuments ?? []).map(({ json }) => JSON.parse(json) as FileRecord)
const savedIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))

describe.each(['memory', 'sqlite'])('files, with a store of %s', (kind) => {
  it('are saved once, and not again in the next run', async () => {
    const folder = folderOfTest()
    const script = { [`${SITE}/`]: page('/a.pdf', '/a.pdf#2'), [`${SITE}/b`]: page('/a.pdf'), [`${SITE}/a.pdf`]: pdf }
    const plugins = [files({ folder })]
    const [first, second] = await runs(kind, { script, spider: withFiles({}, ['/', '/b']) }, { plugins }, { plugins })

    expect(first?.asked.toSorted()).toEqual(['GET /', 'GET /a.pdf', 'GET /b'])
    expect(rowsOf(first)).toEqual([
      {
        ref: expect.stringMatching(/^file:/) as string,
        url: `${SITE}/a.pdf`,
        path: `${SHA.slice(0, 2)}/${SHA}.pdf`,
        sha256: SHA,
        bytes: PDF.length,
        contentType: 'application/pdf',
        fetchedAt: expect.any(Number) as number,
      },
    ])
    expect(savedIn(folder)).toEqual([`${SHA}.pdf`])
    expect(second?.asked).not.toContain('GET /a.pdf')
    expect(second?.ofDocuments).toEqual(first?.ofDocuments)
  })

  it('are not requested again in the rounds of a crawl, also by a rule that matches their URL', async () => {
    const script = { [`${SITE}/`]: page('/a.pdf'), [`${SITE}/a.pdf`]: pdf }
    const watching = { plugins: [files({ folder: folderOfTest() })], maxTimeMs: 200_000 }
    const [every, byUrl] = await runs(
      kind,
      { script, spider: withFiles(), apartMs: 1_000 },
      { ...watching, recrawl: [{ everyMs: 60_000 }] },
      { ...watching, recrawl: [{ match: /shop/, everyMs: 60_000 }] },
    )

    expect(every?.asked).toEqual(['GET /', 'GET /a.pdf', 'GET /', 'GET /', 'GET /'])
    expect(byUrl?.asked.filter((line) => line !== 'GET /')).toEqual([])
    expect(rowsOf(byUrl)).toHaveLength(1)
  })

  it('have a row for each reference, also where redirects lead to one file on another host', async () => {
    const folder = folderOfTest()
    const moved = { status: 302, headers: { location: 'http://cdn.test/x' }, body: '' }
    const script = {
      [`${SITE}/`]: page('/a', '/b', 'http://cdn.test/x', 'http://cdn.test/y'),
      [`${SITE}/a`]: moved,
      [`${SITE}/b`]: moved,
      'http://cdn.test/x': pdf,
      'http://cdn.test/y': pdf,
    }
    const [run] = await runs(kind, { script, spider: withFiles() }, { plugins: [files({ folder })] })

    expect(new Set(rowsOf(run).map(({ ref }) => ref)).size).toBe(4)
    expect(
      rowsOf(run)
        .map(({ url }) => url)
        .toSorted(),
    ).toEqual([...Array.from({ length: 3 }, () => 'http://cdn.test/x'), 'http://cdn.test/y'])
    expect(new Set(rowsOf(run).map(({ path }) => path)).size).toBe(1)
    expect(savedIn(folder)).toHaveLength(1)
  })

  it('leave no part behind once they are saved', async () => {
    const folder = folderOfTest()
    const rest = { 'content-type': 'application/pdf', 'content-range': `bytes 4-${PDF.length - 1}/${PDF.length}` }
    const script = {
      [`${SITE}/`]: page('/a.pdf'),
      [`${SITE}/a.pdf`]: { status: 206, headers: rest, body: PDF.slice(4) },
    }
    const leaver = definePlugin({
      name: 'leaver',
      beforeRequest({ exchange: { request }, now }) {
        if (request.handler !== 'files/file') return
        const part = join(folder, '.part', `${Buffer.from(request.fingerprint, 'latin1').toString('hex')}.ffffffff-1-0000000`)
        mkdirSync(join(folder, '.part'), { recursive: true })
        for (const digit of [0, 1]) writeFileSync(`${part}${digit}`, PDF.slice(0, 4))
        for (const digit of [0, 1]) utimesSync(`${part}${digit}`, now / 1_000, now / 1_000 - 7_200)
        writeFileSync(`${part}0.json`, JSON.stringify({ format: 1, bytes: 4, etag: '"v1"', total: PDF.length }))
      },
    })

    const [run] = await runs(kind, { script, spider: withFiles() }, { plugins: [leaver, files({ folder })] })

    expect(rowsOf(run)).toMatchObject([{ sha256: SHA }])
    expect(savedIn(folder)).toEqual([`${SHA}.pdf`])
  })

  it('that fail leave no row and no file, and say why', async () => {
    const folder = folderOfTest()
    const script = {
      [`${SITE}/`]: page('/gone', '/page', '/large'),
      [`${SITE}/page`]: { headers: HTML, body: '<h1>Not found</h1>' },
      [`${SITE}/large`]: { ...pdf, headers: { ...pdf.headers, 'content-length': '999' } },
    }
    const wish = { types: ['application/pdf'], maxBytes: 100 }
    const [run] = await runs(kind, { script, spider: withFiles(wish) }, { plugins: [files({ folder })] })

    expect(run?.records.flatMap(({ url, reason }) => (reason === undefined ? [] : [`${url} ${reason}`])).toSorted()).toEqual([
      `${SITE}/gone http-404`,
      `${SITE}/large body-too-large`,
      `${SITE}/page file-type`,
    ])
    expect(rowsOf(run)).toEqual([])
    expect(savedIn(folder)).toEqual([])
  })

  it('come again where they are asked for, with a row for each visit', async () => {
    const folder = folderOfTest()
    const script = { [`${SITE}/`]: page('/a.pdf'), [`${SITE}/a.pdf`]: [pdf, { ...pdf, body: `${PDF}, changed` }] }
    const plugins = [files({ folder })]
    const [, second] = await runs(kind, { script, spider: withFiles({ again: true }) }, { plugins }, { plugins })

    expect(second?.ofDocuments.map(({ visit = 0 }) => visit)).toEqual([0, 1])
    expect(new Set(rowsOf(second).map(({ ref }) => ref)).size).toBe(1)
    expect(savedIn(folder)).toHaveLength(2)
  })

  it('wait while the disk has too little room, also several at once, and pages continue', async () => {
    const folder = folderOfTest()
    const script = {
      [`${SITE}/`]: page('http://cdn.test/a.pdf', 'http://img.test/a.pdf'),
      [`${SITE}/b`]: page(),
      'http://cdn.test/a.pdf': pdf,
      'http://img.test/a.pdf': pdf,
    }
    const full = files({ folder, minFreeBytes: Number.MAX_SAFE_INTEGER })
    const [first, second] = await runs(
      kind,
      { script, spider: withFiles({}, ['/', '/b']) },
      { plugins: [full], maxTimeMs: 30_000 },
      { plugins: [files({ folder })] },
    )

    expect(first?.asked.toSorted()).toEqual(['GET /', 'GET /b'])
    expect(first?.report).toMatchObject({ counts: { waiting: 2, failed: 0 } })
    expect(first?.report.problems.map(({ message }) => message).join()).toMatch(/disk of the files has less than/)
    expect(rowsOf(second)).toHaveLength(2)
  })

  it('are requested by the policies of the crawl', async () => {
    const folder = folderOfTest()
    const script = {
      [`${SITE}/robots.txt`]: { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private' },
      [`${SITE}/`]: page('/a.pdf', '/private/b.pdf'),
      [`${SITE}/a.pdf`]: [{ status: 503 }, pdf],
      [`${SITE}/private/b.pdf`]: pdf,
    }
    const [run] = await runs(kind, { script, spider: withFiles() }, { plugins: [files({ folder })], policies: polite() })

    expect(run?.asked.filter((path) => path.includes('.pdf'))).toEqual(['GET /a.pdf', 'GET /a.pdf'])
    expect(rowsOf(run).map(({ url }) => url)).toEqual([`${SITE}/a.pdf`])
  })

  it('are links that yield nothing, and written nowhere, where a spider is only tried out', async () => {
    const folder = join(folderOfTest(), 'none')
    const script = { [`${SITE}/`]: page('/a.pdf'), [`${SITE}/a.pdf`]: pdf }
    const { plugins } = withoutOutsideEffects({ plugins: [files({ folder })] })
    const [run] = await runs(kind, { script, spider: withFiles() }, { plugins })

    expect(run?.asked).toContain('GET /a.pdf')
    expect([rowsOf(run), existsSync(folder)]).toEqual([[], false])
  })

  it('need the plugin, which is said where the handler yields one', async () => {
    const script = { [`${SITE}/`]: page('/a.pdf') }
    const [run] = await runs(kind, { script, spider: withFiles() }, {})

    expect(run?.report.handlerErrors[0]?.message).toMatch(
      /handler 'files\/file'.*plugin files.*files: true.*plugins: \[files\(\)\] of @avocet\/plugin-files/,
    )
  })
})
