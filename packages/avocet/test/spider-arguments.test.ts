// Spiders that take arguments: what they are given, and what they refuse.
import { spider, spiderWith } from 'avocet'
import { describe, expect, expectTypeOf, it } from 'vitest'

const offers = spiderWith(
  { city: 'text', pages: { type: 'number', default: 10 }, full: 'flag', since: { type: 'text', optional: true } },
  (values) => {
    expectTypeOf(values).toEqualTypeOf<{
      readonly city: string
      readonly pages: number
      readonly full: boolean
      readonly since: string | undefined
    }>()
    return spider({ name: JSON.stringify(values), seeds: ['https://shop.example/'], handlers: { start: () => [] } })
  },
)

async function given(args: Readonly<Record<string, unknown>>): Promise<unknown> {
  return JSON.parse((await offers(args)).name)
}

describe('a spider with arguments', () => {
  it('gets them as what they are declared, from texts and from values', async () => {
    expect(await given({ city: 'berlin' })).toEqual({ city: 'berlin', pages: 10, full: false })
    expect(await given({ city: 'paris', pages: '2.5', full: 'true', since: 'May' })).toEqual({
      city: 'paris',
      pages: 2.5,
      full: true,
      since: 'May',
    })
    expect(await given({ city: 'berlin', pages: 3, full: false })).toEqual({ city: 'berlin', pages: 3, full: false })
  })

  it.each([
    [{ ctiy: 'berlin' }, "expected city, pages, full, since, got ctiy (did you mean 'city'?)"],
    [{}, 'expected a text for city, got nothing; write it like -a city=berlin'],
    [{ city: 'berlin', pages: 'ten' }, "expected a number for pages, got 'ten'; write it like -a pages=10"],
    [{ city: 'berlin', pages: '' }, "expected a number for pages, got ''"],
    [{ city: 'berlin', pages: Number.NaN }, 'expected a number for pages, got NaN'],
    [{ city: 'berlin', full: 'maybe' }, "expected a flag for full, got 'maybe'; write it like -a full=true"],
    [{ city: 7 }, 'expected a text for city, got 7'],
    [
      { city: '' },
      `expected a text for city, got ''; write it like -a city=berlin, or declare that it may be empty: city: { type: 'text', default: '' }`,
    ],
  ])('refuses %j', async (args, message) => {
    await expect(offers(args)).rejects.toMatchObject({
      code: 'AVO_USAGE',
      message: expect.stringContaining(`arguments of the spider (-a): ${message}`) as string,
    })
  })

  it('gets an empty text where the text is optional or has a default', async () => {
    const made = spiderWith({ since: { type: 'text', optional: true }, lang: { type: 'text', default: 'en' } }, (values) =>
      spider({ name: JSON.stringify(values), seeds: ['https://shop.example/'], handlers: { start: () => [] } }),
    )

    expect(JSON.parse((await made({ since: '', lang: '' })).name)).toEqual({ since: '', lang: '' })
  })

  it('may be declared by a Standard Schema', async () => {
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) =>
          typeof (value as { city?: unknown }).city === 'string'
            ? { value: value as { readonly city: string } }
            : { issues: [{ message: 'expected a city', path: ['city'] }] },
      },
    } as const
    const made = spiderWith(schema, ({ city }) =>
      spider({ name: city, seeds: ['https://shop.example/'], handlers: { start: () => [] } }),
    )

    expect((await made({ city: 'berlin' })).name).toBe('berlin')
    await expect(made({})).rejects.toMatchObject({
      code: 'AVO_USAGE',
      message: expect.stringContaining('city: expected a city') as string,
    })
  })
})

describe('a declaration of arguments', () => {
  it('may use names that every object has', async () => {
    const named = spiderWith(
      { constructor: { type: 'text', optional: true }, toString: { type: 'number', default: 3 } },
      (values) => spider({ name: JSON.stringify(values), seeds: ['https://shop.example/'], handlers: { start: () => [] } }),
    )

    expect((await named()).name).toBe('{"toString":3}')
    expect((await named({ constructor: '5' })).name).toBe('{"constructor":"5","toString":3}')
  })

  it('of a type that there is not is refused where it is made', () => {
    const declared = JSON.parse('{ "pages": "number?" }') as { pages: 'number' }

    expect(() => spiderWith(declared, () => spider({ name: 'x', seeds: [], handlers: { start: () => [] } }))).toThrow(
      "arguments of the spider (-a): expected text, number, flag as the type of pages, got 'number?'",
    )
  })
})
