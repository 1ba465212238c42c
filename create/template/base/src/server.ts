import { createNotes, stores } from './database.ts'
import { createService } from './service.ts'

export const server = createService({ stores, notes: createNotes() })
