// Which plugins a run that only tries a spider out leaves out.
import { crawl, definePlugin, type Json, type Plugin } from 'avocet'
import { withoutOutsideEffects } from '../src/load/left-out.ts'
import { describe, expect, it } from 'vitest'

const onItem = (item: Json): Json => item
const names = (plugins: readonly Plugin[]): string[] => plugins.map(({ name }) => name)

describe('without effects outside the crawl', () => {
  it('plugins run that say they have none, policies, and those whose hooks only answer the crawl', () => {
    const policies = [definePlugin({ name: 'breaker', policy: 'breaker', open() {}, onSettled() {} })]
    const plugins = [
      definePlugin({ name: 'pure', outsideEffects: false, onItem, open() {} }),
      definePlugin({ name: 'rule', admit() {}, onResponse() {} }),
    ]

    const kept = withoutOutsideEffects({ policies, plugins })

    expect([names(kept.policies), names(kept.plugins), kept.leftOut]).toEqual([['breaker'], ['pure', 'rule'], []])
  })

  it('no plugin runs that says it has some, or that does not say and has a hook that is there for them', () => {
    const policies = [definePlugin({ name: 'retry', policy: 'retry', outsideEffects: true })]
    const plugins = [
      definePlugin({ name: 'saves', onItem, close() {} }),
      definePlugin({ name: 'alerts', onProblem() {} }),
      definePlugin({ name: 'metrics', admit() {}, onTrace() {} }),
    ]

    const { leftOut, ...kept } = withoutOutsideEffects({ policies, plugins })

    expect(kept).toEqual({ policies: [], plugins: [] })
    expect(leftOut).toEqual([
      { name: 'retry', unvouched: [] },
      { name: 'saves', unvouched: ['onItem', 'close'] },
      { name: 'alerts', unvouched: ['onProblem'] },
      { name: 'metrics', unvouched: ['onTrace'] },
    ])
  })
})

describe('outsideEffects', () => {
  it('is true or false', () => {
    const wrong = { name: 'saves', outsideEffects: 'no' } as unknown as Plugin
    const spider = { name: 's', seeds: ['http://shop.test/'], handlers: { start: () => [] } }

    expect(() => crawl({ spider, policies: [], plugins: [wrong] })).toThrow(
      "expected outsideEffects of plugin saves to be true or false, got 'no'",
    )
  })

  it('a plugin that can do without its effects runs so, and is not left out', () => {
    const saves = definePlugin({
      name: 'saves',
      outsideEffects: true,
      open() {},
      withoutEffects: () => definePlugin({ name: 'saves', version: 2 }),
    })

    const { leftOut, plugins } = withoutOutsideEffects({ plugins: [saves] })

    expect([plugins.map(({ version }) => version), leftOut]).toEqual([[2], []])
  })
})
