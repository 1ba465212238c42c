import type { Access } from '@latchkey/graphql'
import { type Exports, missingExport, propertyOf } from './import-file.ts'

/**
 * Returns the access of a file: its `server` has it, or the file exports `access`.
 *
 * @throws CommandFailure if the file exports neither.
 */
export function findAccess(file: string, exports: Exports): Access {
  const access = [propertyOf(exports.server, 'access'), exports.access].find(isAccess)
  if (!access) throw missingExport(file, exports, '`server` of createServer, or `access` of compileAccess')
  return access
}

function isAccess(value: unknown): value is Access {
  return (
    Array.isArray(propertyOf(value, 'fields')) &&
    Array.isArray(propertyOf(value, 'introspection')) &&
    typeof propertyOf(propertyOf(value, 'policy'), 'identify') === 'function'
  )
}
