// URLs of one template have one name, and what varies is no part of it.
import { describe, expect, it } from 'vitest'
import { dateNumbers, urlPatterns } from '../src/url-patterns.ts'

describe('the patterns of a URL', () => {
  it.each([
    ['/', ['/', '/**']],
    ['/product/123', ['/product/*', '/product/**', '/**']],
    ['/about', ['/*', '/**']],
    ['/a/b/page.HTML', ['/a/b/*.html', '/a/**', '/**']],
    ['/cal?&&', ['/*', '/**']],
    ['/cal?b&b&b&b&b&b&b&b&c', ['/cal?b&**', '/cal?**', '/**?b&**', '/**']],
    ['/cal?d=2026-11-22', ['/cal?d=*', '/cal?**', '/**?d=*', '/**']],
    ['/list?page=2&sort=price', ['/list?page=*&sort=*', '/list?**', '/**?page=*&sort=*', '/**']],
    ['/list?sort=price&page=2', ['/list?page=*&sort=*', '/list?**', '/**?page=*&sort=*', '/**']],
    ['/news;jsessionid=0A1B2C3D4E', ['/*;jsessionid=*', '/**']],
    ['/2026/11/22/', ['/#/**/*/', '/#/**', '/**']],
    ['/a1/a2/a3/a4/', ['/a#/**/*/', '/a#/**', '/**']],
    ['/u/9f8e7d6c5b4a/x', ['/u/*/*', '/u/**', '/**']],
    ['/a/b/c/d/e/f', ['/a/b/c/**/*', '/a/**', '/**']],
  ])('%s', (path, names) => {
    expect(urlPatterns(`http://shop.test${path}`)).toEqual(names)
  })

  it.each([
    ['/cal?d=2026-11-22', true],
    ['/2026/11/', true],
    ['/events?year=1&month=2', true],
    ['/product/123', false],
    ['/product/4711-99', false],
    ['/list?page=2026', false],
  ])('%s varies by a date: %s', (path, isDated) => {
    expect(dateNumbers(`http://shop.test${path}`).size > 0).toBe(isDated)
  })
})
