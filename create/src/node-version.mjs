/** The range in `engines` of Latchkey's packages. */
export const neededNode = { range: '>=22.18', words: 'Node.js 22.18 or later' }

/** @param {string} version as in `process.versions.node`. */
export function runsService(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

/**
 * Returns the command that installs a project. npm warns once for each package that its own Node.js is too old for.
 *
 * @param {string} version as in `process.versions.node`.
 */
export function installCommand(version) {
  return runsService(version) ? 'npm install' : 'npm install --loglevel error'
}
