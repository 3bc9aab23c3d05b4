import { describe, expect, it } from 'vitest'
import { decodeAttributeReferences, decodeTextReferences } from '../../src/markup/character-references.ts'

describe('character references', () => {
  it.each([
    ['nothing to decode', 'nothing to decode'],
    ['a=1&amp;b=2&amp;c=3', 'a=1&b=2&c=3'],
    ['decoded once: &amp;lt;', 'decoded once: &lt;'],
    ['AT&T, R&amp;D', 'AT&T, R&D'],
    ['&eacute;t&#233; &amp; &#x41;&nbsp;', 'été & A\u{A0}'],
    ['&amp', '&'],
  ])('of a text: %j is %j', (raw, text) => {
    expect(decodeTextReferences(raw)).toBe(text)
  })

  it.each([
    ['?a=1&amp;b=2', '?a=1&b=2'],
    ['?a=1&copy=2&amp;d=3', '?a=1&copy=2&d=3'],
    ['?a=1&copy;=2', '?a=1©=2'],
  ])('of an attribute: %j is %j', (raw, value) => {
    expect(decodeAttributeReferences(raw)).toBe(value)
  })
})
