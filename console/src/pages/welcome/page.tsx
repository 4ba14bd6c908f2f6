import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { tell } from '../../api/tell.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Money } from '../../parts/money.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { NewKeyText } from '../../snippets/new-key-text.tsx'
import { inShortDollars } from '../../words/money.ts'
import { FirstAnswer } from './first-answer.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/welcome')

/** From nothing to the first answer: credit, a key, and one question. */
export function WelcomePage() {
  const { granted } = route.useSearch()
  const queries = useQueryClient()
  const credits = api.useQuery('get', '/credits', { params: { query: { limit: 1 } } })
  const [hasSeen, setSeen] = useState(false)
  const [hasAnswer, setAnswer] = useState(false)
  const create = api.useMutation('post', '/keys', {
    onSuccess: () => {
      tell('key_created', 'guide')
      void queries.invalidateQueries({ queryKey: ['get', '/keys'] })
    },
  })
  const hasCredit = credits.data !== undefined && credits.data.balance_micros > 0
  const step = !hasCredit && !hasSeen ? 0 : create.data === undefined ? 1 : hasAnswer ? 3 : 2
  return (
    <Page
      title="First steps"
      about="From here to the first answer: credit, a key, one question. Two minutes, and you can leave at any time."
    >
      <Surface>
        <Steps
          active={step}
          steps={[
            {
              name: 'Credit',
              content: (
                <Stack gap="xs">
                  {granted !== undefined && (
                    <Notice tone="good">
                      Your invitation gave you {inShortDollars(granted)}; it stands in the ledger as
                      “Invitation credit”.
                    </Notice>
                  )}
                  {credits.data === undefined ? (
                    <Text c="dimmed">Looking…</Text>
                  ) : hasCredit ? (
                    <Text c="dimmed">
                      You have <Money micros={credits.data.balance_micros} />. Each answer is debited to the
                      micro-dollar.
                    </Text>
                  ) : (
                    <Stack gap="xs" align="flex-start">
                      <Text c="dimmed">
                        There is none yet. Ask whoever runs this router for credit; what they add shows here
                        at once.
                      </Text>
                      {!hasSeen && (
                        <Button size="xs" variant="default" onClick={() => setSeen(true)}>
                          Go on without
                        </Button>
                      )}
                    </Stack>
                  )}
                </Stack>
              ),
            },
            {
              name: 'A key',
              content:
                create.data === undefined ? (
                  <Stack gap="sm" align="flex-start">
                    <Text c="dimmed">A key is how programs spend this balance. Its text is shown once.</Text>
                    {create.error !== null && <FailureNotice error={create.error} />}
                    <Button
                      loading={create.isPending}
                      disabled={step < 1}
                      onClick={() => create.mutate({ body: { name: 'First key' } })}
                    >
                      Create my first key
                    </Button>
                  </Stack>
                ) : (
                  <NewKeyText apiKey={create.data.api_key} />
                ),
            },
            {
              name: 'The first answer',
              content:
                create.data === undefined ? (
                  <Text c="dimmed">One question, answered here.</Text>
                ) : (
                  <FirstAnswer
                    apiKey={create.data.api_key}
                    onAnswer={() => {
                      tell('guide_ended', 'guide')
                      setAnswer(true)
                    }}
                  />
                ),
            },
          ]}
        />
        {hasAnswer && (
          <Stack gap="sm">
            <Notice tone="good" title="That was the first one">
              It has a row in the log and a row in the ledger. Your program gets the same with the snippet
              above.
            </Notice>
            <Group>
              <ButtonLink to="/requests">See its row in the log</ButtonLink>
              <ButtonLink to="/" variant="default">
                To the overview
              </ButtonLink>
            </Group>
          </Stack>
        )}
      </Surface>
      <Surface title="Then">
        <List spacing="xs" fz="0.9375rem">
          <List.Item>
            Run the proxy on your machine: it checks the router’s evidence before it sends a byte, and says so
            in every answer (<code className="code">bin/proxy run</code>).
          </List.Item>
          <List.Item>
            Give each program a key of its own, with a spend limit that it cannot go beyond.
          </List.Item>
          <List.Item>Look at what is deployed where your words go, on the page of evidence.</List.Item>
        </List>
      </Surface>
    </Page>
  )
}
