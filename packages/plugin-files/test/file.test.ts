// What a handler yields to save a file: its URL, its reference, and what it refuses at the line where it was written.
import { recordedPage } from '@avocet/simulator'
import { file, files } from '@avocet/plugin-files'
import { describe, expect, it } from 'vitest'

const page = recordedPage({ url: 'https://shop.example/tea/green?lang=en', body: '<base href="/media/"><img src="a.jpg">' })
const inSession = { baseUrl: page.baseUrl, request: { ...page.request, session: 'alice' } }

describe('file()', () => {
  it('resolves the URL against the page, as a browser does', () => {
    expect(file(page, 'a.jpg').url).toBe('https://shop.example/media/a.jpg')
    expect(file(page, new URL('https://cdn.example/b.jpg')).url).toBe('https://cdn.example/b.jpg')
  })

  it('has one reference for one file, however its URL is written and whatever is wanted of it', () => {
    const { ref } = file(page, '/p.jpg?b=2&a=1')

    expect(ref).toMatch(/^file:[\da-f]{32}$/)
    expect(file(page, 'https://SHOP.example/p.jpg?a=1&b=2#top', { to: 'images', maxBytes: 10 }).ref).toBe(ref)
    expect(file(page, '/other.jpg?b=2&a=1').ref).not.toBe(ref)
    expect(file(inSession, '/p.jpg?b=2&a=1').ref).not.toBe(ref)
  })

  it('keeps the reference where the URL changes and the key does not', () => {
    const signed = (signature: string): string => file(page, `/p.pdf?signature=${signature}`, { key: 'p' }).ref

    expect(signed('1')).toBe(signed('2'))
    expect(file(page, '/p.pdf?signature=1').ref).not.toBe(file(page, '/p.pdf?signature=2').ref)
  })

  it('keeps the reference where a secret of the page changes', () => {
    const at = { baseUrl: page.baseUrl, request: { ...page.request, url: 'https://shop.example/?token=__secret__' } }

    expect(file(at, '/p.pdf?token=one').ref).toBe(file(at, '/p.pdf?token=two').ref)
    expect(file(at, '/p.pdf?token=one').url).toBe('https://shop.example/p.pdf?token=one')
  })

  it('carries what is wanted to the plugin', () => {
    const { ref, options } = file(page, 'a.jpg', {
      to: 'images',
      maxBytes: 5,
      types: ['image/*'],
      priority: 3,
      headers: { referer: 'x' },
    })

    expect(options).toEqual({
      handler: 'files/file',
      identity: ref,
      data: { ref, to: 'images', maxBytes: 5, types: ['image/*'] },
      priority: 3,
      headers: { referer: 'x' },
    })
  })

  it.each([
    [
      'the URL alone',
      () => file('https://shop.example/a.jpg' as never, undefined),
      /given the page and a URL.*write file\(page, src\)/,
    ],
    [
      'an attribute that is not there',
      () => file(page, undefined),
      /given a URL, got undefined; leave out an element that has none/,
    ],
    ['an empty one', () => file(page, ' '), /given a URL/],
    ['a data URL', () => file(page, 'data:image/png;base64,AA'), /an http\(s\) URL/],
    ['a folder above', () => file(page, 'a', { to: '../up' }), /to to be folders inside that of the files/],
    ['an absolute folder', () => file(page, 'a', { to: '/etc' }), /to to be/],
    ['a hidden folder', () => file(page, 'a', { to: 'a/.part' }), /to to be/],
    ['a folder of Windows', () => file(page, 'a', { to: 'a\\b' }), /to to be/],
    ['no folder', () => file(page, 'a', { to: '' }), /to to be/],
    ['no bytes', () => file(page, 'a', { maxBytes: 0 }), /maxBytes to be a whole number of at least 1/],
    ['NaN', () => file(page, 'a', { maxBytes: Number.NaN }), /maxBytes/],
    ['a type that is none', () => file(page, 'a', { types: ['jpg'] }), /types.*a content type such as image\/png or image\/\*/],
    ['an unknown option', () => file(page, 'a', { too: 'images' } as never), /too.*did you mean 'to'/],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ code: 'AVO_HANDLER_LINK_INVALID' }))
  })
})

describe('files()', () => {
  it.each([
    [{ folder: '' }, /folder to be a path/],
    [{ maxBytes: -1 }, /maxBytes/],
    [{ maxBytes: 2 ** 53 }, /maxBytes/],
    [{ types: 'image/*' as never }, /types/],
    [{ minFreeBytes: -1 }, /minFreeBytes/],
    [{ to: 'x' } as never, /to/],
  ])('refuses %j', (options, message) => {
    expect(() => files(options)).toThrow(message)
    expect(() => files(options)).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
  })
})
