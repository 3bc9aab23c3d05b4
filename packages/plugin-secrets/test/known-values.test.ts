// Values that are looked for in every text.
import { describe, expect, it } from 'vitest'
import { KnownValues } from '../src/known-values.ts'

describe('a known value', () => {
  it.each(['a%2Fb%3Dcdef', 'a/b=cdef', 'a%252Fb%253Dcdef', 'a%252fb%253dcdef', 'a%25252Fb%25253Dcdef'])(
    'is found as %s',
    (form) => {
      const known = new KnownValues()
      known.add('a%2Fb%3Dcdef')

      expect(known.hiddenIn(`/x/${form}/y`)).toBe('/x/__secret__/y')
      expect(new KnownValues().hiddenIn(`/x/${form}/y`, ['a%2Fb%3Dcdef'])).toBe('/x/__secret__/y')
    },
  )

  it.each([
    ['my+secret+pass', 'my%20secret%20pass'],
    ['my+secret+pass', 'my secret pass'],
    ['my+secret+pass', 'my%2520secret%2520pass'],
    ['my%20secret', 'my+secret'],
    ["it's-(mine)!", 'it%27s-%28mine%29%21'],
    ['ab%2Fcdef', String.raw`ab\/cdef`],
  ])('that a query has as %s is found as %s', (value, form) => {
    const known = new KnownValues()
    known.add(value)

    expect(known.hiddenIn(`/x/${form}/y`)).toBe('/x/__secret__/y')
  })

  it('that is a word of the reference leaves references as they are', () => {
    const known = new KnownValues()
    known.add('secret')

    expect(known.hiddenIn('/__secret__/secret/__secret.0a.1__')).toBe('/__secret__/__secret__/__secret.0a.1__')
  })

  it('of five characters is none', () => {
    const known = new KnownValues()
    known.add('short')

    expect(known.hiddenIn('/short', ['short'])).toBe('/short')
  })
})
