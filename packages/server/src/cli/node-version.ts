/** The packages need 22.18 (`engines`): older versions do not import TypeScript, or have no `node:sqlite`. */
export function refusalOfNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return null
  return [
    `latchkey needs Node.js 22.18 or later, and this is ${version}.`,
    'Install a newer one, or add it to this project, where npx and the scripts of npm find it: npm install --loglevel error node@24',
  ].join('\n')
}
