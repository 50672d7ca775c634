/** The example app, driven in a browser as a student would, against a gateway that knows students by their tokens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globalAgent } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { packageRoot } from '../../src/config/package-root.js';
import { browserPath, launchBrowser, soon } from '../support/browser.js';
import { endsWithThisProcess } from '../support/children.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { startHttpServer } from '../support/http-server.js';
import { createAll, indexed } from '../support/notebook.js';
import { send } from '../support/send.js';
import { TOKEN_SETTINGS, tokenOf } from '../support/tokens.js';
import { until, withinOneDay } from '../support/until.js';

/** Starts the app on a port of its own; the address is that of its pages. */
async function startApp(
  env: { readonly ERRATA_URL: string; readonly ERRATA_TOKEN: string },
  stderr: 'inherit' | 'ignore',
): Promise<[ChildProcess, string]> {
  const started = spawn(process.execPath, ['server.js'], {
    cwd: join(packageRoot(), 'examples', 'study-app'),
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  endsWithThisProcess(started);
  let printed = '';
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const address = () => /on (http:\/\/127\.0\.0\.1:\d+)\//.exec(printed)?.[1];
  return [started, await until(address, { deadlineMs: 30_000, what: 'the app to listen' })];
}

async function endApp(started: ChildProcess): Promise<void> {
  if (started.exitCode !== null || started.signalCode !== null) return;
  const exited = once(started, 'exit');
  started.kill('SIGTERM');
  await exited;
}

let browser: Browser;
let gateway: Gateway;
let app: ChildProcess | undefined;
let origin: string;
let token: string;

beforeAll(async () => {
  if (browserPath === null) return;
  gateway = await startGateway({ env: TOKEN_SETTINGS });
  await gateway.ready();
  token = await tokenOf({ sub: 'amy' });
  const cards = (await sampleNotebook()).filter(({ id }) => id?.startsWith('sample-zh-0'));
  await createAll(gateway.as(token), cards);
  await indexed(gateway.as(await tokenOf({ sub: 'tess', role: 'teacher' })));
  [app, origin] = await startApp({ ERRATA_URL: gateway.url, ERRATA_TOKEN: token }, 'inherit');
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  if (app !== undefined) await endApp(app);
  await gateway?.close();
});

describe.skipIf(browserPath === null)('the study app', () => {
  let page: Page;
  const wrongs: string[] = [];

  const visit = async (address: string, viewport: { width: number; height: number }): Promise<void> => {
    page = await browser.newPage({ viewport, timezoneId: 'Asia/Shanghai' });
    page.setDefaultTimeout(20_000);
    page.on('pageerror', (error) => wrongs.push(error.message));
    page.on('console', (message) => message.type() === 'error' && wrongs.push(message.text()));
    page.on('request', (request) => request.url().startsWith(origin) || wrongs.push(`asked for ${request.url()}`));
    page.on('response', async (response) => {
      const text = await response.text().catch(() => '');
      if (text.includes(token)) wrongs.push(`the token came with ${response.url()}`);
    });
    await page.goto(`${origin}/${address}`);
  };

  /** The answer to the first request for a field is lost, and the code is answered instead. Counts the requests. */
  const loseFirst = async (field: string, code: string): Promise<() => number> => {
    let sent = 0;
    await page.route(/\/graphql$/, async (route) => {
      if (!route.request().postData()?.includes(field) || sent++ > 0) return route.fallback();
      expect(await (await route.fetch()).json()).not.toHaveProperty('errors');
      return route.fulfill({ json: { errors: [{ message: 'the answer was lost', extensions: { code } }] } });
    });
    return () => sent;
  };

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`${await page?.innerText('body').catch(String)}\n`);
    await page?.close();
    expect(wrongs.splice(0)).toEqual([]);
  });

  test('a mistake is entered with suggested tags, and shows similar questions and others with the same error', async () => {
    await visit('#/add', { width: 390, height: 844 });
    await page.getByRole('textbox', { name: '题目' }).fill('计算：$\\frac{2}{3}+\\frac{1}{4}$');
    await page.locator('.preview .katex').waitFor();
    await page.getByRole('button', { name: '异分母分数加减法' }).click();
    await page.getByRole('textbox', { name: '我的错解' }).fill('$\\frac{3}{7}$');
    await page.getByRole('textbox', { name: '错因' }).fill('概念混淆');
    await page.getByRole('textbox', { name: '错因' }).press('Enter');
    await page.getByRole('button', { name: '记下来' }).click();

    const similar = page.locator('section').filter({ has: page.getByRole('heading', { name: '相似的题' }) });
    const trap = page.locator('section').filter({ has: page.getByRole('heading', { name: '同类错误' }) });
    await similar.locator('.link').first().waitFor();
    expect(await similar.locator('.topic').allTextContents()).toContain('异分母分数加减法');
    expect(await trap.locator('.error').allTextContents()).toContain('概念混淆');
    const overlap = new Set(await similar.locator('.link').allTextContents());
    expect((await trap.locator('.link').allTextContents()).filter((text) => overlap.has(text))).toEqual([]);

    const found = 'query ($id: ID!) { card(id: $id) { owner topicTags errorTypes studentSolutionText } }';
    const { data } = await gateway.as(token).gql(found, { id: new URL(page.url()).hash.split('/')[2] });
    expect(data).toEqual({
      card: {
        owner: 'amy',
        topicTags: ['异分母分数加减法'],
        errorTypes: ['概念混淆'],
        studentSolutionText: '$\\frac{3}{7}$',
      },
    });
  });

  test('a formula that is wider than a phone scrolls by itself, not the page', async () => {
    await visit('#/add', { width: 360, height: 740 });
    await page.getByRole('textbox', { name: '题目' }).fill(`求 $\\frac{${'a+b+'.repeat(25)}c}{2}$`);
    await page.locator('.preview .katex').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  test('a duplicate question is detected, and can be stored as another occurrence', async () => {
    await visit('#/add', { width: 1280, height: 860 });
    await page.getByRole('textbox', { name: '题目' }).fill('一块黑板长 2 米，宽 80 厘米，它的面积是多少？');
    await page.getByText('这道题你记过了').waitFor();
    await page.getByRole('button', { name: '又错了' }).click();
    await page.getByText('做错 2 次').waitFor();
    expect(page.url()).toContain('#/card/sample-zh-010');
  });

  test('a mistake whose answer is lost is sent again and stored once, as a card and as an occurrence', async () => {
    const questionText = '一本书有 120 页，小红每天看 15 页，几天看完？';
    for (const [button, occurrences] of [
      ['记下来', 1],
      ['又错了', 2],
    ] as const) {
      await visit('#/add', { width: 1280, height: 860 });
      await page.getByRole('textbox', { name: '题目' }).fill(questionText);
      const sent = await loseFirst('createCard', 'UNAVAILABLE');
      await page.getByRole('button', { name: button }).click();
      await page.waitForURL(/#\/card\//);
      expect(sent()).toBe(2);
      const latest = '{ cards(first: 2) { nodes { questionText occurrences } } }';
      const { data } = await gateway.as(token).gql<{ cards: { nodes: object[] } }>(latest);
      expect(data?.cards.nodes[0]).toEqual({ questionText, occurrences });
      expect(data?.cards.nodes[1]).not.toMatchObject({ questionText });
      await page.unrouteAll({ behavior: 'wait' });
      if (occurrences === 1) await page.close();
    }
  });

  test('a hint without a question to compare with says only what to beware of', async () => {
    for (const hypotheses of [[{ errorType: '计算错误' }], []]) {
      await visit('', { width: 390, height: 844 });
      await page.route(/\/graphql$/, (route) => {
        if (!route.request().postData()?.includes('tutoringContext')) return route.fallback();
        return route.fulfill({ json: { data: { tutoringContext: { hypotheses, sources: [] } } } });
      });
      await page.getByRole('button', { name: '给点提示' }).click();
      const hint = page.locator('aside');
      await hint.waitFor();
      expect(await hint.innerText()).toBe(hypotheses.length > 0 ? '当心：计算错误' : '这道题还没有提示。');
      await page.unrouteAll({ behavior: 'wait' });
      if (hypotheses.length > 0) await page.close();
    }
  });

  test("today's review gives a hint without the answer, takes attempts, and goes on to the next card", async () => {
    await gateway.as(token).must('mutation { savePracticeSettings(input: { newPerDay: 2 }) { newPerDay } }');
    await withinOneDay('Asia/Shanghai');
    await visit('', { width: 390, height: 844 });
    await page.getByText(/已练 0 · 还剩 \d+/).waitFor();
    const question = await page.locator('.question').textContent();
    expect(await page.locator('.solutions').count()).toBe(0);
    const hintRequests = await loseFirst('tutoringContext', 'DEADLINE_EXCEEDED');
    await page.getByRole('button', { name: '给点提示' }).click();
    await page.locator('aside .link').waitFor();
    expect(hintRequests()).toBeGreaterThan(1);
    await page.unrouteAll({ behavior: 'wait' });
    expect(await page.locator('.solutions').count()).toBe(0);
    await page.getByRole('button', { name: '看答案' }).click();
    // The clock is set back, and the answer to the attempt is lost.
    await page.evaluate('{ const now = Date.now; Date.now = () => now() - 3_600_000; }');
    const attemptsSent = await loseFirst('recordAttempts', 'UNAVAILABLE');
    await page.getByRole('button', { name: '做对了' }).click();
    await page.getByText(/上一题下次复习：.*\d/).waitFor();
    await page.getByText('已练 1 ·').waitFor();
    expect(attemptsSent()).toBe(2);
    await page.unrouteAll({ behavior: 'wait' });
    const second = await page.locator('.question').textContent();
    expect(second).not.toBe(question);
    const { dueCards } = await gateway
      .as(token)
      .must<{ dueCards: { nodes: { card: { id: string } }[] } }>('{ dueCards(first: 1) { nodes { card { id } } } }');
    await gateway.as(token).must(`mutation { deleteCard(id: "${dueCards.nodes[0]?.card.id}") }`);
    await page.getByRole('button', { name: '看答案' }).click();
    await page.getByRole('button', { name: '做对了' }).click();
    await soon(() => page.locator('.question').textContent()).not.toBe(second);

    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Show the solution' }).click();
    await page.getByRole('button', { name: 'Wrong again' }).click();
    await page.getByText(/2 done ·/).waitFor();
    await page.getByText('All done for now').waitFor();
    await page.getByText('2 to come again in some minutes').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    const day = await gateway.as(token).must('{ practiceSettings { timeZone } dueCards { doneToday totalCount } }');
    expect(day).toEqual({ practiceSettings: { timeZone: 'Asia/Shanghai' }, dueCards: { doneToday: 2, totalCount: 0 } });
  });

  test('the notebook can be searched, and a missing card is reported', async () => {
    await visit('#/notebook', { width: 390, height: 844 });
    await page.getByRole('searchbox').fill('单位没有换算');
    await page.locator('h1 small').waitFor({ state: 'detached' });
    await page.locator('.link').first().waitFor();
    await soon(() => page.locator('.list .error').allTextContents()).toContain('单位错误');
    // A query without a letter finds nothing, as a missing card is no failure.
    await page.getByRole('searchbox').fill('？？？');
    await page.getByText('没有找到，换个说法试试。').waitFor();
    expect(await page.getByRole('button', { name: '再看一些' }).count()).toBe(0);
    for (const id of ['nothing', '%zz']) {
      await page.goto(`${origin}/#/notebook`);
      await page.locator('.notebook').waitFor();
      await page.goto(`${origin}/#/card/${id}`);
      await page.getByText('没有这道错题。').waitFor();
    }
  });

  test('a question without a solution and error types has a page, and amounts of money in it are no formula', async () => {
    await visit('#/add', { width: 390, height: 844 });
    const question = 'A pen costs $3 and a book costs $5. How much are $x$ pens?';
    await page.getByRole('textbox', { name: '题目' }).fill(question);
    await page.getByRole('button', { name: '记下来' }).click();
    const trap = page.locator('section').filter({ has: page.getByRole('heading', { name: '同类错误' }) });
    await trap.getByText('还没有').waitFor();
    expect(await page.locator('.question').innerText()).toContain('A pen costs $3 and a book costs $5. How much are');
    expect(await page.locator('.question .katex annotation').allTextContents()).toEqual(['x']);
  });

  test('requests that another site can trigger in a browser are not forwarded', async () => {
    const body = { query: '{ viewer { ownerId } }' };
    const status = async (headers: Record<string, string>) =>
      (await send(`${origin}/graphql`, { agent: globalAgent, body, headers })).status;
    expect(await status({})).toBe(200);
    expect(await status({ origin: 'http://elsewhere.example' })).toBe(403);
    expect(await status({ host: 'elsewhere.example' })).toBe(403);
    expect(await status({ 'content-type': 'text/plain' })).toBe(403);
    for (const path of ['..%2fserver.js', 'package.json']) expect((await fetch(`${origin}/${path}`)).status).toBe(404);
  });

  test('the app goes on when Errata ends within an answer', async () => {
    const errata = await startHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{ "data": ', () => response.destroy());
    });
    const env = { ERRATA_URL: `${errata.url}/graphql`, ERRATA_TOKEN: token };
    const [other, address] = await startApp(env, 'ignore');
    try {
      const headers = { 'content-type': 'application/json' };
      const ask = async () => (await fetch(`${address}/graphql`, { method: 'POST', headers, body: '{}' })).text();
      // Not ended as if it were whole.
      await expect(ask()).rejects.toThrow();
      await expect(ask()).rejects.toThrow();
      expect((await fetch(address)).status).toBe(200);
    } finally {
      await endApp(other);
      await errata.close();
    }
  });

  test('what was typed stays while another page is looked at', async () => {
    await visit('#/add', { width: 390, height: 844 });
    const question = page.getByRole('textbox', { name: '题目' });
    await question.fill('一道还没有写完的题');
    await page.getByRole('link', { name: '错题本' }).last().click();
    await page.locator('.notebook .card').first().waitFor();
    await page.getByRole('link', { name: '记错题' }).click();
    expect(await question.inputValue()).toBe('一道还没有写完的题');
  });
});
