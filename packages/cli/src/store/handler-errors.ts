// Errors in the user's own code as people read them: how many pages, the line relative to the working folder, and what was thrown.
import { isAbsolute, relative } from 'node:path'
import type { HandlerError, HandlerErrorGroup } from '@avocet/core/store'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'

/** `spiders/shop.ts:17:37 TypeError: …`. */
export function handlerErrorText({ place, message }: HandlerError, folder: string): string {
  return printable(place === undefined ? message : `${nearby(place, folder)} ${message}`)
}

/** `2 × spiders/shop.ts:17:37 TypeError: …, first at https://…`. */
export function handlerErrorLine(group: HandlerErrorGroup, folder: string): string {
  return `${formatCount(group.count)} × ${handlerErrorText(group, folder)}, first at ${printable(group.url)}`
}

function nearby(place: string, folder: string): string {
  const path = relative(folder, place)
  return path.startsWith('..') || isAbsolute(path) ? place : path
}
