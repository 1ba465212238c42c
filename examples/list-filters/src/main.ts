import { createNotes, policy } from './notes.ts'

const notes = createNotes()
notes.add({ id: 1, text: 'Buy milk', authorId: 'acc_1' })
notes.add({ id: 2, text: 'Call Ada', authorId: 'acc_2' })

for (const roles of [['READER'], ['AUTHOR'], ['EDITOR'], ['ADMIN']]) {
  const identity = policy.identify({ subject: 'acc_1', roles })
  const filter = policy.filter(identity, 'notes:update', { unless: 'notes:review' })
  process.stdout.write(`${roles} may update ${JSON.stringify(notes.within(filter).map(({ id }) => id))}\n`)
}
