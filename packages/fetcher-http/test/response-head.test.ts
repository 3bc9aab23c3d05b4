// Which answers are refused at their head. The parser refuses some of them too; that the rule holds must not depend on it.
import type { ResponseHeaders } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { faultOfHead, statusOfAll } from '../src/response-head.ts'

const codeOf = (
  status: number,
  headers: ResponseHeaders,
  asked: { fields?: number; rangeAsked?: boolean } = {},
): string | undefined => faultOfHead({ status, headers }, { fields: 3, rangeAsked: false, ...asked })?.code

describe('response head', () => {
  it.each<readonly [string, ResponseHeaders]>([
    ['length and coding', { 'content-length': '2', 'transfer-encoding': 'chunked' }],
    ['two lengths', { 'content-length': ['2', '2'] }],
    ['list of lengths', { 'content-length': '2, 2' }],
    ['signed length', { 'content-length': '+2' }],
    ['empty length', { 'content-length': '' }],
    ['length beyond 2^53', { 'content-length': '18446744073709551615' }],
    ['unknown coding', { 'transfer-encoding': 'xchunked' }],
    ['coding under chunked', { 'transfer-encoding': 'gzip, chunked' }],
    ['two codings', { 'transfer-encoding': ['chunked', 'chunked'] }],
  ])('%s is not HTTP', (_name, headers) => {
    expect(codeOf(200, headers)).toBe('AVO_PROTOCOL')
  })

  it.each<readonly [string, ResponseHeaders]>([
    ['no length', {}],
    ['length', { 'content-length': '0' }],
    ['chunks', { 'transfer-encoding': ' Chunked ' }],
  ])('%s is fine', (_name, headers) => {
    expect(codeOf(200, headers)).toBeUndefined()
  })

  it('takes a range only when one was requested', () => {
    expect(codeOf(206, {})).toBe('AVO_PROTOCOL')
    expect(codeOf(206, {}, { rangeAsked: true })).toBeUndefined()
  })

  it('takes an unasked 206 with the whole body for a 200', () => {
    expect(statusOfAll(206, { 'content-range': 'bytes 0-8/9' })).toBe(200)
    expect(statusOfAll(206, { 'content-range': 'bytes 0-7/9' })).toBe(206)
    expect(statusOfAll(206, { 'content-range': 'bytes 0-8/*' })).toBe(206)
    expect(statusOfAll(206, {})).toBe(206)
  })

  it('takes 500 fields and not 501', () => {
    expect(codeOf(200, {}, { fields: 500 })).toBeUndefined()
    expect(codeOf(200, {}, { fields: 501 })).toBe('AVO_HEADERS_TOO_LARGE')
  })
})
