// Holds the lock for writing, as a process that hangs in the middle of a transaction.
import { open } from 'lmdb'

const [path = '', milliseconds = ''] = process.argv.slice(2)
const root = open({ path, encoding: 'json' })
root.transactionSync(() => {
  process.stdout.write('held\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(milliseconds))
})
await root.close()
