/** A mistake in the store on MariaDB: texts of its source replaced by others, and the test of the kit that fails. */
export interface MariadbMutant {
  readonly mistake: string
  readonly patches: readonly (readonly [text: string, replacement: string])[]
  readonly fails: string
}

export const mariadbMutants: readonly MariadbMutant[] = [
  {
    mistake: 'an outage is read as an absent record',
    patches: [
      [
        'read<StoredRecord>(statements.get, [key, storeTime])',
        'read<StoredRecord>(statements.get, [key, storeTime]).catch(() => [])',
      ],
    ],
    fails: 'an unreachable backend is an outage to every method, never an answer',
  },
  {
    mistake: 'the error of the driver is passed on',
    patches: [
      [
        "throw new StoreError('STORE_UNAVAILABLE', 'the database failed or did not answer in time', { cause })",
        'throw cause',
      ],
    ],
    fails: 'an outage is a StoreError, not the error of the driver',
  },
  {
    mistake: 'a call has no deadline',
    patches: [['Math.max(0, endAt - performance.now())', '60_000']],
    fails: 'a frozen backend is given up at the deadline',
  },
  {
    mistake: 'a statement that was given up is executed later',
    patches: [['Math.trunc(endAt - deadlineMs / 4 + offsetMs)', 'Number.MAX_SAFE_INTEGER + endAt * 0']],
    fails: 'what was reported as failed is not executed when a frozen backend goes on',
  },
  {
    mistake: 'an expiry is kept as local time',
    patches: [
      ["time_zone = '+00:00'", "time_zone = 'SYSTEM'"],
      [
        'select ?, ?, 1, ?, ? where true',
        'select ?, ?, 1, unix_timestamp(from_unixtime(? / 1000)) * 1000, ? where true',
      ],
    ],
    fails: 'an instant is kept to the millisecond where local clocks are changed',
  },
  {
    mistake: 'a record is there at its expiry',
    patches: [
      [
        'from latchkey_records where record_key = ? and expires_at > ?`',
        'from latchkey_records where record_key = ? and expires_at >= ?`',
      ],
    ],
    fails: 'a record is absent from the millisecond of its expiry on',
  },
  {
    mistake: 'the column of versions is narrow',
    patches: [['version bigint', 'version tinyint unsigned']],
    fails: 'a record may be replaced hundreds of times',
  },
  {
    mistake: 'the column of versions has 16 bits',
    patches: [['version bigint', 'version smallint unsigned']],
    fails: 'a version has more than 32 bits',
  },
  {
    mistake: 'the column of versions has 32 bits',
    patches: [['version bigint', 'version int unsigned']],
    fails: 'a version has more than 32 bits',
  },
  {
    mistake: 'a touch only extends',
    patches: [
      [
        "'update latchkey_records set expires_at = ? where",
        "'update latchkey_records set expires_at = greatest(expires_at, ?) where",
      ],
    ],
    fails: 'touch and replace can end a record',
  },
  {
    mistake: 'a replace only extends',
    patches: [
      ['set value = ?, expires_at = ?, version', 'set value = ?, expires_at = greatest(expires_at, ?), version'],
    ],
    fails: 'touch and replace can end a record',
  },
  {
    mistake: 'a record ends a millisecond early',
    patches: [
      [
        'from latchkey_records where record_key = ? and expires_at > ?`',
        'from latchkey_records where record_key = ? and expires_at > ? + 1`',
      ],
    ],
    fails: 'a record lives until the millisecond before its expiry',
  },
  {
    mistake: 'a sweep is a millisecond ahead',
    patches: [
      ['delete from latchkey_records where expires_at <= ?', 'delete from latchkey_records where expires_at <= ? + 1'],
    ],
    fails: 'a sweep leaves what has a millisecond to live',
  },
  {
    mistake: 'a listing ends at 1,000 records',
    patches: [
      [
        'where owner = ? and record_key > ? and expires_at > ? order by',
        `where owner = ? and record_key > ? and (select count(*) from latchkey_records as before
          where before.owner = latchkey_records.owner and before.record_key <= latchkey_records.record_key) <= 1000
          and expires_at > ? order by`,
      ],
    ],
    fails: 'a listing and a removal go beyond 1,000 records',
  },
  {
    mistake: 'what has expired for one process is left to the others by its owner too',
    patches: [
      [
        'change(statements.removeByOwner, [owner, except])',
        "change(statements.removeByOwner + ' and expires_at > ' + now(), [owner, except])",
      ],
    ],
    fails: 'what a client whose clock is ahead has removed by its owner is gone',
  },
  {
    mistake: 'a connection is tried again and again',
    patches: [
      [
        'if (performance.now() - measuredAt > measureEveryMs) await measure(endAt)',
        `for (const end = performance.now() + 8000; performance.now() - measuredAt > measureEveryMs; ) {
          if (performance.now() > end) throw new Error('given up after all')
          await measure(endAt).catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
        }`,
      ],
    ],
    fails: 'an unreachable backend is given up at the deadline',
  },
  {
    mistake: 'a deadlock is an outage',
    patches: [['const deadlock = 1213', 'const deadlock = -1']],
    fails: 'every method at once on the records of one owner fails nowhere',
  },
  {
    mistake: 'an insert keeps the version of an expired record',
    patches: [['set owner = ?, version = 1,', 'set owner = ?,']],
    fails: 'an insert over an expired record keeps nothing of it',
  },
  {
    mistake: 'an insert keeps the owner of an expired record',
    patches: [['set owner = ?, version = 1,', 'set owner = coalesce(owner, ?), version = 1,']],
    fails: 'an insert over an expired record keeps nothing of it',
  },
  {
    mistake: 'a row that stays as it was is not counted',
    patches: [["flags: ['FOUND_ROWS']", "flags: ['-FOUND_ROWS']"]],
    fails: 'a touch or a replace that changes nothing is true',
  },
  {
    mistake: 'keys are compared without white space at the end',
    patches: [
      [
        'record_key varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin',
        'record_key varchar(512) character set utf8mb4 collate utf8mb4_bin',
      ],
    ],
    fails: 'keys that look alike are kept apart',
  },
  {
    mistake: 'owners are compared without letter case',
    patches: [
      [
        'owner varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin',
        'owner varchar(512) character set utf8mb4 collate utf8mb4_general_nopad_ci',
      ],
    ],
    fails: 'owners that look alike are kept apart',
  },
  {
    mistake: 'a key has 255 characters',
    patches: [['record_key varchar(512)', 'record_key varchar(255)']],
    fails: 'a key of 512 bytes is kept whole',
  },
  {
    mistake: 'a value has 64 KB',
    patches: [['value mediumtext', 'value text']],
    fails: 'values of every length up to 1 MB come back whole',
  },
  {
    mistake: 'removal ends at 1,000 records',
    patches: [
      ['change(statements.removeByOwner, [owner, except])', 'change(statements.removeByOwner, [owner, except], 1000)'],
    ],
    fails: 'a listing and a removal go beyond 1,000 records',
  },
  {
    mistake: 'a removal in steps ends when another call was faster',
    patches: [
      [
        'return (await change(statements.removeByOwner, [owner, except])) ?? 0',
        `for (let count = 0; ; ) {
          const some = 'select record_key as \`key\` from latchkey_records where owner = ? and record_key <> ? limit 1000'
          const keys = (await read<StoredRecord>(some, [owner, except])).map(({ key }) => key)
          // All read before one of them removes, on a busy machine too.
          await new Promise((resolve) => setTimeout(resolve, 50))
          const places = keys.map(() => '?').join() || 'null'
          const removed = await change('delete from latchkey_records where record_key in (' + places + ')', keys)
          count += removed ?? 0
          if ((removed ?? 0) < 1000) return count
        }`,
      ],
    ],
    fails: 'removeByOwner, four times at once, ends when none is left',
  },
  {
    mistake: 'what has expired for one process is left to the others',
    patches: [['change(statements.remove, [key])', "change(statements.remove + ' and expires_at > ' + now(), [key])"]],
    fails: 'what a client whose clock is ahead has removed is gone',
  },
]

/** The same for the counters. */
export const mariadbCounterMutants: readonly MariadbMutant[] = [
  {
    mistake: 'hits are taken back from a closed window',
    patches: [
      ['and known.reset_at > ?)', 'and known.reset_at > ? - 1e9)'],
      ['hits = if(latchkey_counters.reset_at <= ?,', 'hits = if(latchkey_counters.reset_at <= ? - 1e9,'],
    ],
    fails: 'a negative hit after the window sees none of its hits',
  },
  {
    mistake: 'a negative hit opens a window',
    patches: [['where (? > 0 or', 'where (? <> 0 or']],
    fails: 'a negative hit opens no window',
  },
  {
    mistake: 'a count falls below 0',
    patches: [['greatest(0, latchkey_counters.hits + ?)', 'latchkey_counters.hits + ?']],
    fails: 'a negative hit takes back, and never below 0',
  },
  {
    mistake: 'a later hit extends the window',
    patches: [['latchkey_counters.reset_at)\n', 'greatest(latchkey_counters.reset_at, values(reset_at)))\n']],
    fails: 'the first hit opens the window, and no later hit moves its end',
  },
  {
    mistake: 'a hit that was given up is counted later',
    patches: [['Math.trunc(endAt - deadlineMs / 4 + offsetMs)', 'Number.MAX_SAFE_INTEGER + endAt * 0']],
    fails: 'what was reported as failed is not executed when a frozen backend goes on',
  },
]
