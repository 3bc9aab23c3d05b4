// Memory of plugins: what is kept as JSON comes back as it was, and what would not is named.
import { unlikeJson } from '@avocet/core/tools'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { Memories } from '../../../packages/core/src/hosts/memories.ts'
import { mutatedText } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
  },
  fc.constantFrom<unknown>(undefined, -0, Number.NaN, Infinity, 10n, Symbol.iterator, () => 1),
  fc.oneof(
    fc.date(),
    fc.constant(new Map([[1, 2]])),
    fc.constant(new Set([1])),
    fc.constant(/x/),
    fc.constant(new Uint8Array(2)),
    fc.constant(new URL('http://h/')),
  ),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('toJSON', '__proto__', 'length')), tie('value'), {
      maxKeys: 3,
      noNullPrototype: false,
    }),
    fc.array(tie('value'), { minLength: 1, maxLength: 2 }).map(sparse),
  ),
}))

function sparse(list: readonly unknown[]): unknown[] {
  const holed: unknown[] = []
  holed[list.length] = list[0]
  return holed
}

/** Fields that are `undefined` count as left out; `-0` is 0. */
function survives(given: unknown): boolean {
  let text: string | undefined
  try {
    text = JSON.stringify(given) as string | undefined
  } catch {
    return false
  }
  return isDeepStrictEqual(text === undefined ? undefined : (JSON.parse(text) as unknown), withoutGaps(given))
}

function withoutGaps(given: unknown): unknown {
  if (Object.is(given, -0)) return 0
  if (Array.isArray(given)) return Array.from(given as readonly unknown[], withoutGaps)
  if (typeof given !== 'object' || given === null || ![Object.prototype, null].includes(Object.getPrototypeOf(given) as null))
    return given
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(given)) {
    if (member !== undefined)
      Object.defineProperty(copy, name, { value: withoutGaps(member), enumerable: true, configurable: true, writable: true })
  }
  return copy
}

const flaws = property(
  { name: 'memory-json', what: 'memory is named unlike JSON exactly when it would come back as something else', runs: 5_000 },
  value,
  (given) => {
    assert.equal(unlikeJson(given) === undefined, survives(given), String(unlikeJson(given)))
  },
)

const SAVED = [
  '[1,{"lastStartAt":1700000000000,"lastEndAt":1700000000500,"proven":true,"forbidden":{"firstAt":5,"count":2}}]',
  '[1,{"copies":[{"origin":"https://a.example","copy":{"kind":"known","fetchedAt":1}}],"delayMs":2000}]',
  '[3,{"scopeHosts":["a.example"]}]',
].map((text) => Buffer.from(text))
const TOKENS = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"',
  '1',
  '-',
  'null',
  '1e400',
  '[1,',
  '{}',
  '"__proto__":',
  '\\u0000',
  '\\',
  '\ud800',
  '[1]',
  '[]',
  '{"at":1,"byMs":2}',
] as const

const restored = property(
  {
    name: 'memory-restored',
    what: 'whatever stands in a store as memory, a host begins with memory, anew if need be',
    runs: 3_000,
  },
  fc.record({ core: mutatedText({ files: SAVED, tokens: TOKENS }), plain: mutatedText({ files: SAVED, tokens: TOKENS }) }),
  ({ core, plain }) => {
    const problems: string[] = []
    const note = (message: string): void => void problems.push(message)
    const memories = new Memories([{ name: 'plain', hostMemory: () => ({ fresh: true }) }], {
      broken: ({ message }) => note(message),
      pluginError: note,
    })
    const host = memories.restoreHost({ core, plain }, 1_700_000_001_000)
    assert.equal(typeof host.core, 'object')
    assert.equal(host.memory.length, 1)
    memories.openCrawl([{ core, plain }])
    assert.ok(Array.isArray(memories.core.scopeHosts))
    assert.deepEqual(problems, [])
  },
)

/** All of this file. */
export const MEMORY_PROPERTIES: readonly Property[] = [flaws, restored]
