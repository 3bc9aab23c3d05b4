// Which plugins a run that only tries a spider out leaves out.
import { crawl, definePlugin, type Json, type Plugin } from 'avocet'
import { withoutOutsideEffects } from '../../src/plan/left-out.ts'
import { describe, expect, it } from 'vitest'

const onItem = (item: Json): Json => item
const names = (plugins: readonly Plugin[]): string[] => plugins.map(({ name }) => name)

describe('without effects outside the crawl', () => {
  it('plugins run that say they have none, and policies', () => {
    const policies = [definePlugin({ name: 'breaker', policy: 'breaker', open() {}, onSettled() {} })]
    const plugins = [definePlugin({ name: 'pure', outsideEffects: false, onItem, open() {} })]

    const kept = withoutOutsideEffects({ policies, plugins })

    expect([names(kept.policies), names(kept.plugins), kept.leftOut]).toEqual([['breaker'], ['pure'], []])
  })

  it('no plugin runs that says it has some, or does not say', () => {
    const policies = [definePlugin({ name: 'retry', policy: 'retry', outsideEffects: true })]
    const plugins = [definePlugin({ name: 'saves', onItem }), definePlugin({ name: 'rule', admit() {} })]

    const { leftOut, ...kept } = withoutOutsideEffects({ policies, plugins })

    expect(kept).toEqual({ policies: [], plugins: [] })
    expect(names(leftOut)).toEqual(['retry', 'saves', 'rule'])
  })

  it('links to the documents of a plugin that is left out stay links, and the documents yield nothing', () => {
    const saves = definePlugin({
      name: 'saves',
      open() {},
      handlers: { file: { handle: () => [{ saved: true }], records: true } },
    })

    const { plugins, leftOut } = withoutOutsideEffects({ plugins: [saves] })

    expect(names(leftOut)).toEqual(['saves'])
    expect(plugins.map(({ name, open, handlers = {} }) => [name, open, Object.keys(handlers)])).toEqual([
      ['saves', undefined, ['file']],
    ])
  })
})

describe('outsideEffects', () => {
  it('is true or false', () => {
    const wrong = { name: 'saves', outsideEffects: 'no' } as unknown as Plugin
    const spider = { name: 's', seeds: ['http://shop.test/'], handlers: { start: () => [] } }

    expect(() => crawl({ spider, policies: [], plugins: [wrong] })).toThrow(
      "expected plugin saves: outsideEffects to be true or false, got 'no'",
    )
  })
})
