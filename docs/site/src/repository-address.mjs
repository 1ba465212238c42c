/** The address of the repository, from the variables of the workflow; null without them: pages then link no sources. */
export function repositoryAddress() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return server && repository ? `${server}/${repository}` : null
}
