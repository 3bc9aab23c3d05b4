// A reader that lets others have their turn before each call: a store in a file answers at once, so that a loop over many of its pages would hold up the crawl
// that runs in the same process.
import type { FrontierReader } from '@avocet/core/store'

/** The same store; whoever loops over its pages gives way between two of them. */
export function yieldingReader(reader: FrontierReader): FrontierReader {
  return new Proxy(reader, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...said: readonly unknown[]): Promise<unknown> => {
        await new Promise((done) => setImmediate(done))
        return Reflect.apply(member, target, said) as unknown
      }
    },
  })
}
