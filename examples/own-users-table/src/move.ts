import { moveUsers } from './move-users.ts'
import { openDatabase, usersTable } from './users-table.ts'

const database = openDatabase(process.env.DATABASE ?? 'app.db')
database.exec(usersTable)
const { moved, left } = moveUsers(database)
database.close()
console.log(`${moved} users are accounts now.`)
for (const { id, why } of left) console.log(`user ${id} was left as it was: ${why}`)
