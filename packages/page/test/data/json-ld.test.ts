// JSON-LD as it is found in pages: what is read of it, and what is not.
import { type JsonLd, typesOf } from '@avocet/page'
import { describe, expect, it } from 'vitest'
import { pageWith } from '../read-page.ts'

function read(...blocks: readonly string[]): JsonLd {
  return pageWith(blocks.map((block) => `<script type="application/ld+json">${block}</script>`).join('<p>')).jsonLd
}

const TEA = { '@type': 'Product', name: 'Tea' }

describe('page.jsonLd', () => {
  it.each([
    ['plain', '{"@type":"Product","name":"Tea"}'],
    ['in a list', '[{"@type":"Product","name":"Tea"}]'],
    ['in a graph', '{"@context":"https://schema.org","@graph":[{"@type":"Product","name":"Tea"}]}'],
    ['in a comment of HTML', '<!-- {"@type":"Product","name":"Tea"} -->'],
    ['in a CDATA section', '<![CDATA[ {"@type":"Product","name":"Tea"} ]]>'],
    ['in a CDATA section that JavaScript skips', '//<![CDATA[\n{"@type":"Product","name":"Tea"}\n//]]>'],
    ['the same on one line', '//<![CDATA[ {"@type":"Product","name":"Tea"} //]]>'],
    ['in a CDATA section in a comment', '/*<![CDATA[*/{"@type":"Product","name":"Tea"}/*]]>*/'],
    ['with a semicolon after it', '{"@type":"Product","name":"Tea"};'],
    ['with commas before the ends', '{"@type":"Product","name":"Tea", }'],
    ['with a comment between comma and end', '{"@type":"Product","name":"Tea", /* price */ }'],
    ['with a comment in it', '{"@type":"Product", // what it is\n"name":"Tea"}'],
    ['escaped for HTML', '{&quot;@type&quot;:&quot;Product&quot;,&quot;name&quot;:&quot;Tea&quot;}'],
    ['after a byte order mark', '\u{FEFF}{"@type":"Product","name":"Tea"}'],
    ['with an escape that JSON does not have', '{"@type":"Product","name":"T\\ea"}'],
  ])('reads an object %s', (_, block) => {
    const { nodes, broken } = read(block)

    expect(nodes).toEqual([TEA])
    expect(broken).toBe(0)
  })

  it('keeps what is in texts: line breaks, slashes, commas and marks', () => {
    expect(read('{"@type":"X","a":"one\ntwo\t//no /*no*/ ,} --> \\"q\\" \\u00e9",}').nodes).toEqual([
      { '@type': 'X', a: 'one\ntwo\t//no /*no*/ ,} --> "q" é' },
    ])
  })

  it('reads several objects of one block, with a comma or without', () => {
    expect(read('{"a":1}{"a":2}', '{"a":3},\n{"a":4}').nodes).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }])
  })

  it.each(['{"price":12\n99,}', '{"price":12;99,}', '{"price":1 299.00,}', '{"price":1/**/299,}'])(
    'makes no number of the two in %j',
    (block) => {
      const { nodes, broken } = read(block)

      expect(nodes).toEqual([])
      expect(broken).toBe(1)
    },
  )

  it.each(['', '{"a":', '{"a":"', "{'a':1}", 'undefined', '{{}', '/*', '<!--'])(
    'counts %j as broken, and reads the others',
    (block) => {
      const { nodes, broken } = read(block, '{"@type":"Product","name":"Tea"}')

      expect(nodes).toEqual([TEA])
      expect(broken).toBe(1)
    },
  )

  it('finds objects by type, with any vocabulary, nested ones too, in the order of the document', () => {
    const found = read(
      '{"@type":"WebPage","mainEntity":{"@type":"http://schema.org/Product","name":"1","offers":[{"@type":"Offer"}]}}',
      '{"@type":["schema:Product","Car"],"name":"2"}',
    )

    expect(found.ofType('Product').map(({ name }) => name)).toEqual(['1', '2'])
    expect(found.ofType('Car', 'Offer').map(typesOf)).toEqual([['Offer'], ['Product', 'Car']])
    expect(found.ofType('Organization')).toEqual([])
  })

  it('finds the fullest object of an id', () => {
    const found = read('{"@graph":[{"@type":"WebPage","about":{"@type":"Product","@id":"#p"}},{"@id":"#p","name":"Tea"}]}')

    expect(found.byId('#p')).toEqual({ '@id': '#p', name: 'Tea' })
    expect(found.byId('#q')).toBeUndefined()
  })

  it('reads scripts of this type only, and a body that is JSON-LD', () => {
    const other = '<script>{"@type":"A"}</script><script type="application/json">{"@type":"B"}</script>'

    expect(pageWith(`${other}<!-- <script type="application/ld+json">{"@type":"C"}</script> -->`).jsonLd.nodes).toEqual([])
    expect(
      pageWith('<SCRIPT ID=x TYPE = " Application/LD+JSON; charset=utf-8 ">{"@type":"D"}</SCRIPT>').jsonLd.nodes,
    ).toHaveLength(1)
    expect(pageWith('{"@type":"E"}', { type: 'application/ld+json' }).jsonLd.nodes).toEqual([{ '@type': 'E' }])
    expect(pageWith('{"@type":"F"}', { type: 'application/json' }).jsonLd.nodes).toEqual([])
  })

  it('is not misled by names of every object, and ends at a depth', () => {
    const deep = `${'{"a":'.repeat(5_000)}{"@type":"Product"}${'}'.repeat(5_000)}`

    expect(read('{"@type":"Product","__proto__":{"name":"no"}}').ofType('Product')[0]?.['name']).toBeUndefined()
    expect(read(deep).ofType('Product')).toEqual([])
    expect(read(`[${'['.repeat(5_000)}${']'.repeat(5_000)}]`).nodes).toEqual([])
  })

  it('looks at 10,000 objects', () => {
    expect(read(JSON.stringify({ all: Array.from({ length: 20_000 }, () => TEA) })).ofType('Product')).toHaveLength(9_999)
  })
})
