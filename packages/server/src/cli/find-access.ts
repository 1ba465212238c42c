import type { Access } from '@latchkey/graphql'
import { type Exports, missingExport, propertyOf } from './import-file.ts'

/**
 * Returns the access of what a file exports: that of its server, or one that stands alone.
 *
 * @throws CommandFailure when there is none.
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
