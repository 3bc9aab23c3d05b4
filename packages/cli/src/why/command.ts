// `avocet why`, as the command line knows it.
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, WHICH_STORE } from '@avocet/project/command'
import { namedStore, textOf } from '@avocet/project/options'
import type { WhyOptions } from './why.ts'

/** `avocet why`. */
export const WHY: DeclaredCommand<WhyOptions> = {
  name: 'why',
  arguments: '<target> [store]',
  describes: { target: 'A host as avocet hosts lists it, or a URL', store: WHICH_STORE },
  examples: ['avocet why shop.example', 'avocet why https://shop.example/offer/7 offers'],
  flags: { ...STORE_FLAG, ...JSON_FLAG },
  missing: 'expected a host or a URL, got nothing',
  read: (typed) => ({
    target: textOf(typed, 'target') ?? '',
    ...namedStore(typed),
    json: typed['json'] === true,
  }),
  run: async (options, place) => (await import('./why.ts')).whyCommand(options, place),
}
