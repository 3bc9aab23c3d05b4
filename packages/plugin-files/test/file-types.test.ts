// What a file is found to be, and which extension it gets: never one that its URL or its server made up.
import { describe, expect, it } from 'vitest'
import { fileType, isWanted, saidType, typeOfPath } from '../src/file-types.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

describe('the type of a file', () => {
  it.each([
    ['\xff\xd8\xff\xe0', 'text/html', 'image/jpeg', 'jpg'],
    ['RIFF\x10\0\0\0WEBPVP8 ', '', 'image/webp', 'webp'],
    ['\0\0\0\x20ftypavif', '', 'image/avif', 'avif'],
    ['\0\0\0\x20ftypisom', '', 'video/mp4', 'mp4'],
    ['%PDF-1.7', 'application/octet-stream', 'application/pdf', 'pdf'],
    ['PK\x03\x04', 'application/epub+zip', 'application/epub+zip', 'epub'],
    ['PK\x03\x04', 'application/x-php', 'application/zip', 'zip'],
    ['id,price\n1,2', 'text/csv; charset=utf-8', 'text/csv', 'csv'],
    ['<?php', 'application/x-httpd-php', 'application/x-httpd-php', 'bin'],
    ['#!/bin/sh', '', '', 'bin'],
    ['#!/bin/sh', '*/*', '', 'bin'],
    ['#!/bin/sh', 'unknown/unknown', '', 'bin'],
    ['#!/bin/sh', 'application/unknown', '', 'bin'],
    ['', 'image/png', 'image/png', 'png'],
    ['\xff\xd8', '../../etc', '', 'bin'],
  ])('that begins with %j and is said to be %j is %j', (head, field, contentType, extension) => {
    expect(fileType(bytes(head), saidType(field))).toEqual({ contentType, extension })
  })

  it.each([
    ['image/png', ['image/*'], true],
    ['image/png', ['IMAGE/PNG'], true],
    ['image/svg+xml', ['image/png', 'application/pdf'], false],
    ['imagex/png', ['image/*'], false],
    ['', ['image/*'], false],
    ['', undefined, true],
  ])('%j is one of %j: %s', (type, wanted, expected) => {
    expect(isWanted(type, wanted)).toBe(expected)
  })

  it('is read back from the name', () => {
    expect(typeOfPath('ab/abc.jpg', 'text/html')).toBe('image/jpeg')
    expect(typeOfPath('ab/abc.xml', 'application/xml')).toBe('application/xml')
    expect(typeOfPath('ab/abc.bin', 'application/x-thing')).toBe('application/x-thing')
  })
})
