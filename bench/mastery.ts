/**
 * How well are the next answers of unseen students predicted?
 *
 *     npm run bench -- mastery [FILE.csv] [--students 3000] [--seed 1] [--weights]
 *
 * FILE has the columns `user_id,item_id,timestamp,correct,skill_id`, separated by commas or tabs; without it, students
 * are simulated. The weights are fitted to four fifths of the students; for the others, every answer is predicted
 * before it is used. Compared with the share of right answers of the item, Elo in twenty lines and the
 * rating without the history; for simulated students also with the true probability. `--weights` prints the fitted
 * weights.
 */
import { seededRandom } from '../src/evaluation/random.js';
import { type Answer, Rating } from '../src/practice/mastery/rating.js';
import { Tracer } from '../src/practice/mastery/tracer.js';
import { DEFAULT_WEIGHTS } from '../src/practice/mastery/weights.js';
import { readAnswers } from './answer-file.js';
import { trainModel } from './mastery-training.js';
import { benchmark, type Row, readArguments } from './run.js';
import { SCHOOL, simulate } from './students.js';
import { Elo, ItemMean, type Predictor, qualityOf } from './tracing.js';

const { files, options } = readArguments({ students: SCHOOL.students, seed: 1, weights: false });

/** A predictor trained with the answers of the others. */
function heard<P extends Predictor>(predictor: P, known: readonly Answer[]): P {
  for (const answer of known) predictor.update(answer);
  return predictor;
}

await benchmark(async (run) => {
  const random = seededRandom(options.seed);
  const [file] = files;
  const simulated = file === undefined ? simulate({ ...SCHOOL, students: options.students, random }) : null;
  const { answers, rows } =
    simulated === null
      ? await readAnswers(file as string)
      : { answers: simulated.answers, rows: simulated.answers.length };
  const students = [...new Set(answers.map(({ student }) => student))].sort();
  const unseen = new Set(students.filter(() => random() < 0.2));
  const known = answers.filter(({ student }) => !unseen.has(student));
  const asked = answers.filter(({ student }) => unseen.has(student));
  const named = new Set(answers.map(({ item }) => item)).size;
  console.log(`${rows} rows, ${answers.length} answers by ${students.length} students to ${named} items`);
  console.log(`predicted: ${asked.length} answers of ${unseen.size} students`);
  await run.turn();

  const { priors, weights } = trainModel(known);
  if (options.weights)
    console.log(JSON.stringify({ priors, weights: weights.map((weight) => Number(weight.toPrecision(4))) }));
  const contestants: Readonly<Record<string, () => Predictor>> = {
    'item mean': () => new ItemMean(known),
    'Elo in 20 lines': () => heard(new Elo(), known),
    'rating alone': () => heard(new Rating(priors), known),
    'default weights': () => heard(new Tracer(DEFAULT_WEIGHTS), known),
    mastery: () => heard(new Tracer(weights, new Rating(priors)), known),
    ...(simulated !== null && {
      'the truth': () => ({
        probability: (answer: Answer) => simulated.truth.get(answer) ?? 0,
        update: () => undefined,
      }),
    }),
  };
  const correct = asked.map((answer) => answer.correct);
  const predictions: Row[] = [];
  for (const [name, made] of Object.entries(contestants)) {
    await run.turn();
    const predictor = made();
    const predicted = asked.map((answer) => {
      const p = predictor.probability(answer);
      predictor.update(answer);
      return p;
    });
    const { auc, logLoss, rmse, calibration } = qualityOf(predicted, correct);
    const figures = { AUC: auc, 'log-loss': logLoss, RMSE: rmse, calibration };
    const shown = Object.entries(figures).map(([figure, value]) => [figure, value.toFixed(4)]);
    predictions.push({ model: name, ...Object.fromEntries(shown) });
  }
  run.report('predictions', predictions);
});
