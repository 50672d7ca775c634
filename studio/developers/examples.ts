/** A tab each: the queries of the README and of docs/search.md, then what else an app asks first. */
export const EXAMPLES: readonly string[] = [
  `query SimilarQuestions {
  similarQuestions(text: "10 g 盐放进 40 g 水，溶质质量分数是多少", topK: 3) {
    hits {
      score
      card {
        id
        questionText
      }
    }
  }
}`,
  `query ByError {
  byError(text: "wrong force diagram N = mg", topK: 3) {
    hits {
      score
      card {
        id
        questionText
        errorTypes
      }
    }
  }
}`,
  `query BySolution {
  bySolution(text: "两边除以负数，得 x>-5", topK: 2) {
    hits {
      score
      card {
        id
        questionText
        studentSolutionText
      }
    }
  }
}`,
  `query ByConcept {
  byConcept(text: "discriminant of a quadratic", topK: 3) {
    hits {
      score
      card {
        id
        questionText
        topicTags
      }
    }
  }
}`,
  `query HybridSearch {
  hybridSearch(
    cardId: "sample-en-020"
    weights: {question: 1, solution: 2, error: 1}
    filter: {difficultyMax: 3}
    topK: 2
  ) {
    hits {
      score
      card {
        id
        questionText
      }
      lanes {
        perspective
        kind
        score
        weight
        contribution
        rank
      }
    }
    receipt {
      filtering
      matchedByFilter
      candidates
      inferredConcepts
    }
  }
}`,
  `query Facets {
  facets {
    total
    subject { value count }
    topicTag { value count }
  }
}`,
  `query Labels {
  suggestTags(text: "解不等式 -2x > 6，两边同除以 -2，得 x > -3") { tag perspective score }
}`,
  `query Index {
  indexStatus { cards indexed pending failed building model }
}`,
  `mutation NewCard {
  createCard(
    input: { subject: "math", difficulty: 2, questionText: "计算 1/2+1/3", topicTags: ["分数加法"] }
    onDuplicate: MERGE
  ) {
    id
    occurrences
  }
}`,
];
