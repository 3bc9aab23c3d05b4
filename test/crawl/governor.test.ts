// No path leads around the hours and limits of hosts; `npm run bench:governor` is a million requests of it.
import { expect, it } from 'vitest'
import { governed } from '../../bench/governor/world.ts'

/** The nights after: Berlin puts its clock back, New York puts it forward. */
it.each(['2026-10-24T10:00Z', '2026-03-07T10:00Z'])(
  'nothing begins in closed hours or above a rate, on any path, from %s',
  async (begin) => {
    const { admissions, closed, above, paths } = await governed({ hosts: 20, pages: 12, days: 3, startAt: Date.parse(begin) })

    expect([closed, above]).toEqual([[], []])
    expect(admissions).toBeGreaterThan(5_000)
    expect([...paths.keys()]).toEqual(
      expect.arrayContaining([
        ...['GET /robots.txt', 'GET /for/robots.txt', 'another host, for one that requires it', 'GET /sitemap.xml'],
        ...['GET /pN', 'GET /sN', 'GET /mN', 'GET /login', 'POST /login', 'with a session', 'GET /fN.png', 'rendered GET /rN'],
        ...[
          'loaded by a rendered page',
          'connections of rendered pages',
          'again, after a failure or a refusal',
          'redirected',
          'a probe',
          'GET /aN',
        ],
      ]),
    )
  },
)
