import type { MariadbMutant } from './mariadb-mutants.ts'

/** Mistakes in the documents on MariaDB, and the test of the kit that finds each. */
export const mariadbDocumentMutants: readonly MariadbMutant[] = [
  {
    mistake: 'an outage is read as an absent document',
    patches: [
      [
        'read<StoredDocument>(statements.get, [collection, id])',
        'read<StoredDocument>(statements.get, [collection, id]).catch(() => [])',
      ],
    ],
    fails: 'an unreachable backend is an outage to every method, never an answer',
  },
  {
    mistake: 'a change that was given up is made later',
    patches: [['Math.trunc(endAt - deadlineMs / 4 + offsetMs)', 'Number.MAX_SAFE_INTEGER + endAt * 0']],
    fails: 'what was reported as failed is not executed when a frozen backend goes on',
  },
  {
    mistake: 'an insert overwrites',
    patches: [['insert into latchkey_documents', 'replace into latchkey_documents']],
    fails: 'insert never overwrites, and one id may be in two collections',
  },
  {
    mistake: 'an id is unique in all collections',
    patches: [['primary key (collection, id)', 'primary key (id), index (collection, id)']],
    fails: 'insert never overwrites, and one id may be in two collections',
  },
  {
    mistake: 'a document is found in any collection',
    patches: [
      [
        'from latchkey_documents where collection = ? and id = ?`,\n  replace',
        'from latchkey_documents where ? is not null and id = ?`,\n  replace',
      ],
    ],
    fails: 'an inserted document is read by its collection and id',
  },
  {
    mistake: 'a replace ignores the version',
    patches: [
      ['where collection = ? and id = ? and version = ?`', 'where collection = ? and id = ? and ? is not null`'],
    ],
    fails: 'replace swaps the current version only, and never creates',
  },
  {
    mistake: 'a replace reads, and then writes',
    patches: [
      [
        'return (await change(statements.replace, [next.version, next.value, collection, id, version])) === 1',
        `const [document] = await read<StoredDocument>(statements.get, [collection, id])
        if (document?.version !== version) return false
        // All read before one of them writes, on a busy machine too.
        await new Promise((resolve) => setTimeout(resolve, 200))
        const sql = 'update latchkey_documents set version = ?, value = ? where collection = ? and id = ?'
        return (await change(sql, [next.version, next.value, collection, id])) === 1`,
      ],
    ],
    fails: 'of parallel replaces of one version exactly one wins',
  },
  {
    mistake: 'a removal ignores the version',
    patches: [["and id = ? and version = ?',", "and id = ? and ? is not null',"]],
    fails: 'remove with a version removes this version only',
  },
  {
    mistake: 'a removal is true for everyone',
    patches: [['return (await removed) === 1', 'return (await removed) !== null']],
    fails: 'of parallel removes exactly one wins, with a version and without',
  },
  {
    mistake: 'ids are compared without white space at the end',
    patches: [
      ['  id varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin', '  id varchar(512) collate utf8mb4_bin'],
    ],
    fails: 'ids that look alike are kept apart',
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
    mistake: 'versions are compared without letter case',
    patches: [
      [
        'version varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin',
        'version varchar(512) character set utf8mb4 collate utf8mb4_general_nopad_ci',
      ],
    ],
    fails: 'versions are compared letter by letter',
  },
  {
    mistake: 'an id has 255 characters',
    patches: [['  id varchar(512)', '  id varchar(255)']],
    fails: 'an id of 512 bytes and a collection of 64 characters are stored whole',
  },
  {
    mistake: 'a collection has 32 characters',
    patches: [['collection varchar(64)', 'collection varchar(32)']],
    fails: 'an id of 512 bytes and a collection of 64 characters are stored whole',
  },
  {
    mistake: 'a value has 64 KB',
    patches: [['value mediumtext', 'value text']],
    fails: 'a value of 256 kB is stored whole, by insert and by replace',
  },
  {
    mistake: 'a value has no characters beyond 16 bits',
    patches: [
      [
        'value mediumtext character set utf8mb4 collate utf8mb4_nopad_bin',
        'value mediumtext character set utf8mb3 collate utf8mb3_bin',
      ],
    ],
    fails: 'every character survives insert and replace',
  },
  {
    mistake: 'a full page has no cursor',
    patches: [['readAfter(collection, id, limit + 1)', 'readAfter(collection, id, limit)']],
    fails: 'list has every document of the collection once, in pages of any size',
  },
  {
    mistake: 'a list skips the first of the next page',
    patches: [['const last = items.at(-1)', 'const last = documents.at(-1)']],
    fails: 'list has every document of the collection once, in pages of any size',
  },
  {
    mistake: 'the list of an owner continues by id alone',
    patches: [['and (collection, id) > (?, ?)', 'and (collection >= ? and id > ?)']],
    fails: 'listByOwner has every document of the owner once, in all collections or in those named',
  },
  {
    mistake: 'no collection means all of them',
    patches: [
      [
        'const named = collections?.join() ?? null\n      return (await',
        'const named = collections?.join() || null\n      return (await',
      ],
    ],
    fails: 'listByOwner has every document of the owner once, in all collections or in those named',
  },
  {
    mistake: 'removeByOwner ends at a page',
    patches: [
      [
        'change(statements.removeByOwner, [owner, named, named])',
        'change(statements.removeByOwner, [owner, named, named], 100)',
      ],
    ],
    fails: 'removeByOwner removes more than a page, and no replace brings a document back',
  },
  {
    mistake: 'nobody is an owner with an empty name',
    patches: [
      ['[collection, id, owner, version, value])) === 1', "[collection, id, owner ?? '', version, value])) === 1"],
    ],
    fails: 'a document without an owner is in no list of an owner, and none with the name null',
  },
]
