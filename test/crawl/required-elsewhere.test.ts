// A required document that is on another host counts for the host that requires it, goes with the rights of the other, and comes to that one gently.
import { definePlugin, type Plugin } from 'avocet'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const A = 'http://a.test'
const B = 'http://b.test'
const C = 'http://c.test'
const to = (location: string): Answer => ({ status: 302, headers: { location } })
const ok: Answer = { body: 'ok' }

/** Requires `url` of `host`, and notes what it gets, and at which host each exchange is booked. */
function reader(host: string, url: string): { readonly plugin: Plugin; readonly got: string[]; readonly booked: string[] } {
  const got: string[] = []
  const booked: string[] = []
  const plugin = definePlugin({
    name: 'reader',
    seesRequired: true,
    hostMemory: () => ({ read: false }),
    admit(ask, memory) {
      if (memory.read || ask.host.key !== host) return
      ask.require(url, ({ result, host: { key } }) => {
        memory.read = true
        got.push(`${key} ${result.kind === 'answered' ? result.response.status : result.failure.code}`)
      })
    },
    onAdmit({ host: { key }, request }) {
      booked.push(`${key} ${request.url}`)
    },
  })
  return { plugin, got, booked }
}

describe('a required document that a redirect leads to another host for', () => {
  it('is booked at the host that requires it', async () => {
    const { plugin, got, booked } = reader('a.test', `${A}/doc`)
    const script = { [`${A}/doc`]: to(`${B}/doc`), [`${B}/doc`]: ok, [`${A}/page`]: ok }
    const { report } = await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin] })

    expect(booked).toEqual([`a.test ${A}/doc`, `a.test ${B}/doc`, `a.test ${A}/page`])
    expect(got).toEqual(['a.test 200'])
    expect(report.ended).toBe('done')
  })

  it('that fails is the failure of the host that requires it', async () => {
    const { plugin, got } = reader('a.test', `${A}/doc`)
    const script: Record<string, Answer> = {
      [`${A}/doc`]: to(`${B}/doc`),
      [`${B}/doc`]: { fails: 'AVO_CONNECT_TIMEOUT' },
      [`${A}/page`]: ok,
    }
    const failed: string[] = []
    const { items } = await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin] }, (made) => {
      made.hooks.onError.tap({ name: 'test', seesRequired: true }, ({ exchange }) => {
        failed.push(`${exchange.host.key} ${exchange.host.consecutiveFailures}`)
      })
    })

    expect(failed).toEqual(['a.test 1'])
    expect(got).toEqual(['a.test AVO_CONNECT_TIMEOUT'])
    expect(items).toHaveLength(1)
  })

  it('fails at once where that host failed another less than a minute ago', async () => {
    const { plugin, got } = reader('a.test', `${A}/doc`)
    const { plugin: other } = reader('c.test', `${C}/doc`)
    const script = { [`${A}/doc`]: { ...to(`${B}/doc`), afterMs: 2_000 }, [`${A}/page`]: ok, [`${C}/page`]: ok }
    const { seen } = await run(
      { ...script, [`${C}/doc`]: to(`${B}/other`), [`${B}/other`]: { status: 503 } },
      { spider: pathSpider([`${A}/page`, `${C}/page`]), plugins: [plugin, { ...other, name: 'other' }] },
    )

    expect(seen.map(({ outbound }) => outbound.url)).not.toContain(`${B}/doc`)
    expect(got).toEqual(['a.test AVO_REQUIRED_ELSEWHERE'])
  })

  it('does not wait for the documents that two hosts require of one another', async () => {
    const script = {
      [`${A}/robots.txt`]: to(`${B}/robots.txt?a`),
      [`${B}/robots.txt`]: to(`${A}/robots.txt?b`),
      [`${A}/robots.txt?b`]: ok,
      [`${B}/robots.txt?a`]: ok,
      [`${A}/`]: ok,
      [`${B}/`]: ok,
    }
    const { items } = await run(script, { spider: pathSpider([`${A}/`, `${B}/`]), plugins: [robots()] })

    expect(items).toHaveLength(2)
  })

  it('may lead there and back, five redirects in all', async () => {
    const { plugin, got, booked } = reader('a.test', `${A}/doc`)
    const script = { [`${A}/doc`]: to(`${B}/doc`), [`${B}/doc`]: to(`${A}/doc`), [`${A}/page`]: ok }
    await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin] })

    expect(booked.map((line) => line.split(' ')[1])).toEqual([A, B, A, B, A, B].map((host) => `${host}/doc`).concat(`${A}/page`))
    expect(got).toEqual(['a.test AVO_REDIRECT_LIMIT'])
  })

  it('is requested with the rights of the host that it is on', async () => {
    const { plugin } = reader('a.test', `${A}/doc`)
    const script = {
      [`${A}/doc`]: to(`${B}/doc`),
      [`${B}/doc`]: to('http://c.test/doc'),
      'http://c.test/doc': ok,
      [`${A}/page`]: ok,
    }
    const spider = pathSpider([`${A}/page`], { scope: { hosts: ['b.test'] } })
    const hosts = { 'a.test': { allowPrivate: true }, 'b.test': { allowPrivate: true } }
    const { seen } = await run(script, { spider, plugins: [plugin], headers: { authorization: 'Basic x' }, hosts })

    expect(seen.map(({ outbound }) => [outbound.url, 'authorization' in outbound.headers, outbound.privateAllowed])).toEqual([
      [`${A}/doc`, true, true],
      [`${B}/doc`, true, true],
      ['http://c.test/doc', false, false],
      [`${A}/page`, true, true],
    ])
  })
})

describe('a document that a plugin requires of another host outright', () => {
  it('is booked there like one that a redirect leads to', async () => {
    const { plugin, got, booked } = reader('a.test', `${B}/doc`)
    const { items } = await run({ [`${B}/doc`]: ok, [`${A}/page`]: ok }, { spider: pathSpider([`${A}/page`]), plugins: [plugin] })

    expect(booked).toEqual([`a.test ${B}/doc`, `a.test ${A}/page`])
    expect(got).toEqual(['a.test 200'])
    expect(items).toHaveLength(1)
  })
})
