// Ways to break what makes a new store of a damaged one, and what tells that one is damaged.
import { caught, harmless, type Mutant } from '../mutant.ts'

const RESCUE = 'packages/plugin-sqlite/test/rescue.test.ts'
const AGAIN = 'packages/plugin-sqlite/test/rescue-again.test.ts'
const WAITING = 'packages/plugin-sqlite/test/waiting-links.test.ts'

export const RESCUED: readonly Mutant[] = [
  ...caught(
    'packages/plugin-sqlite/src/rescue/wal-frames.ts',
    [RESCUE, AGAIN],
    [
      { name: 'goes by frames of the log without a commit', find: 'if (size === 0) continue', replace: '' },
      { name: 'goes by frames whose checksum is wrong', find: 'return sum.is(frame, 16)', replace: 'return true' },
      { name: 'goes by frames of an earlier round', find: 'salts.equals(frame.subarray(8, 16)) && ', replace: '' },
      { name: 'ends the log at a damaged frame', find: '      unread++\n      continue', replace: '      break' },
      {
        name: 'takes the salts of a damaged header',
        find: 'isSound ? header.subarray(16, 24) : ',
        replace: 'isSound || !isSound ? header.subarray(16, 24) : ',
      },
      {
        name: 'tells of a frame that was cut off',
        find: 'return { offsets, pages, damaged }',
        replace: 'return { offsets, pages, damaged: damaged + unread }',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/asked-again.ts',
    [RESCUE, AGAIN],
    [
      { name: 'asks for no page whose links are lost', find: '    suspectGivers(db, spansOf(db, gaps))', replace: '' },
      { name: 'sees no gap behind the last row', find: 'return highest < lastId ?', replace: 'return highest > lastId ?' },
      {
        name: 'repeats orders for what they may have given',
        find: "AND coalesce(e.method, 'GET') IN ('GET', 'HEAD')",
        replace: '',
      },
      {
        name: 'asks again for what is due again anyway',
        find: ' AND (a.state = 0 OR v.id IS NULL OR d.id IS NULL)',
        replace: '',
      },
      {
        name: 'asks for all pages when some links are lost',
        find: 'return joined(spans.toSorted((a, b) => a.since - b.since))',
        replace: 'return spans.slice(0, 1).map(() => ({ since: -MOST, until: MOST }))',
      },
      {
        name: 'takes the last fetch of a page for its first',
        find: 'coalesce(a.first_at, iif(v.visits > 1, 0, a.fetched_at))',
        replace: 'a.fetched_at',
      },
      {
        name: 'takes the last fetch of the page before a gap for its first',
        find: 'max(iif(f.first = f.last, f.ended, f.first))',
        replace: 'max(f.ended)',
      },
      {
        name: 'forgets what was given ahead of a turn that was never ended',
        find: 'WHERE until + ${SLACK_MS} < first)',
        replace: 'WHERE false)',
      },
      {
        name: 'leaves alone what waits to be read again from where its links were cut',
        find: 'a.state = 0 AND a.id IN',
        replace: 'false AND a.id IN',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/sound-requests.ts',
    [RESCUE, AGAIN],
    [
      { name: 'takes any request for what it was', find: 'rows.filter((row) => !isChecked || isAsItWas(row))', replace: 'rows' },
      { name: 'keeps two rows of one fingerprint', find: 'WHERE r.id > twice.oldest)', replace: 'WHERE r.id < twice.oldest)' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/rebuild.ts',
    [RESCUE, AGAIN],
    [
      { name: 'keeps the marks of outputs where items are missing', find: 'if (!isWhole) db.exec(REWIND_SINKS)', replace: '' },
      {
        name: 'lets a page of which something is lost answer that nothing is new',
        find: 'iif(s.id IS NULL, v.etag, NULL)',
        replace: 'v.etag',
      },
      { name: 'hands a store to a process that is dead', find: 'iif(owner IS NULL, abandoned, 1)', replace: 'abandoned' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/rebuild.ts',
    [WAITING],
    [
      {
        name: 'has links wait of a page that was never tried',
        find: 'JOIN attempt a ON a.id = p.id LEFT JOIN reason r',
        replace: 'LEFT JOIN reason r',
      },
      {
        name: 'forgets that a page is read again for its links alone',
        find: 'c.links, c.waiting, c.reread',
        replace: 'c.links, c.waiting, 0',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/file/upgrade.ts',
    [WAITING],
    [
      { name: 'takes the links before the first that waited for all', find: 'before + waiting', replace: 'before' },
      { name: 'forgets what was read again for its links alone', find: 'a.state = 0 AS reread', replace: '0 AS reread' },
      {
        name: 'says of old pages of which links wait that they are in trouble',
        find: 'DELETE FROM ${schema}.trouble',
        replace: 'DELETE FROM ${schema}.cut',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/rescue-count.ts',
    [RESCUE, AGAIN],
    [
      { name: 'believes any number of requests', find: '.filter((id) => id <= bytes)', replace: '' },
      {
        name: 'counts no memory as lost',
        find: "!damagedTables.includes('host_memory') && ",
        replace: "!damagedTables.includes('host_memories') && ",
      },
      { name: 'says nothing of a damaged log', find: 'if (damagedInLog > 0)', replace: 'if (damagedInLog > 99)' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/rescue-store.ts',
    [RESCUE, AGAIN],
    [
      { name: 'puts a rescued store over one that came meanwhile', find: 'linkSync(part, to)', replace: 'renameSync(part, to)' },
      { name: 'rescues a store that changes meanwhile', find: '    file.assertUnchanged()\n', replace: '' },
      { name: 'makes folders that were mistyped', find: 'if (isFolder(folder)) return undefined', replace: 'return undefined' },
    ],
  ),
  ...harmless('packages/plugin-sqlite/src/rescue/rebuild.ts', [
    {
      name: 'gives ids of processes a second time',
      find: 'HAVING max(process) IS NOT NULL',
      replace: 'HAVING max(process) IS NULL',
      harmless:
        'whoever opens a store inherits all that stands there, also under its own id, and writes over it what it made of that',
    },
  ]),
  ...harmless('packages/plugin-sqlite/src/rescue/rescue-store.ts', [
    {
      name: 'puts a rescued store there unverified',
      find: '    await assertSound(part, path, reached)\n',
      replace: '',
      harmless: 'no damage is known of which an unsound store is made: the check is a net below that',
    },
  ]),
  ...caught(
    'packages/plugin-sqlite/src/verify/quick-check.ts',
    ['packages/plugin-sqlite/test/quick-check.test.ts'],
    [
      {
        name: 'recounts nothing when a store is opened',
        find: 'isSmall && RECOUNTED.has(rule)',
        replace: 'false && RECOUNTED.has(rule)',
      },
      { name: 'looks a large store over as a whole', find: 'MAX_WHOLE_BYTES = 64 *', replace: 'MAX_WHOLE_BYTES = 640 *' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/rescue/rescue-count.ts',
    ['packages/plugin-sqlite/test/rescue.test.ts'],
    [
      {
        name: 'says nothing of counts that differ from the items',
        find: 'outcomes + items + memories + askedAgain === 0',
        replace: 'outcomes + items + memories + askedAgain >= 0',
      },
    ],
  ),
]
