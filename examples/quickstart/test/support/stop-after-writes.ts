import { DatabaseSync, StatementSync } from 'node:sqlite'

// Imported before a program: from SIGUSR2 on its process stops, as by SIGSTOP, after each write that SQLite has committed.
// It goes on at SIGCONT, or is killed there and then.

let isStopping = false
process.on('SIGUSR2', () => {
  isStopping = true
  console.log(`${process.pid} stops after each write`)
})

const changesOf = new WeakMap<DatabaseSync, number>()
const databaseOf = new WeakMap<StatementSync, DatabaseSync>()
const { prepare, exec } = DatabaseSync.prototype

function readChanges(database: DatabaseSync): number {
  return Number(prepare.call(database, 'select total_changes() as changes').get()?.changes)
}

function stopAfterWrite(database: DatabaseSync): void {
  if (!isStopping || database.isTransaction) return
  const changes = readChanges(database)
  if (changes === changesOf.get(database)) return
  changesOf.set(database, changes)
  process.kill(process.pid, 'SIGSTOP')
}

/** What was written before the signal is not counted. */
function watch<T>(database: DatabaseSync, work: () => T): T {
  if (!isStopping) changesOf.set(database, -1)
  else if (changesOf.get(database) === -1) changesOf.set(database, readChanges(database))
  const result = work()
  stopAfterWrite(database)
  return result
}

DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  databaseOf.set(statement, this)
  return statement
}

DatabaseSync.prototype.exec = function (sql) {
  return watch(this, () => exec.call(this, sql))
}

for (const name of ['all', 'get', 'run'] as const) {
  const original = StatementSync.prototype[name] as (...given: unknown[]) => unknown
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...given: unknown[]): unknown {
      const database = databaseOf.get(this)
      const work = (): unknown => original.apply(this, given)
      return database ? watch(database, work) : work()
    },
  })
}
