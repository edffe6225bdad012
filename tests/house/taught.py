r"""What the sources of the course hold, item by item, and where each is taught.

A line is: item | page#anchor | words that stand in that section. Where no folder is named, docs/learn comes first.
"""

from __future__ import annotations

_TABLE = r"""
rows, columns and p dimensions | planes.md#rows-columns-and-labels | x = (x_1, \dots, x_p)
labels +1 and -1 | planes.md#rows-columns-and-labels | \(+1\) (positive) or \(-1\) (negative)
to separate rows | planes.md#rows-columns-and-labels | is to find a simple rule that is right on all of them
one column: a threshold at -b/w | planes.md#a-threshold-on-the-line | x = -\frac{b}{w}
the sign of w says which side is positive | planes.md#a-threshold-on-the-line | if \(w < 0\) on the left
the bias alone is no threshold | planes.md#a-threshold-on-the-line | double \(w\) and \(b\)
rows on a line without a threshold | planes.md#a-threshold-on-the-line | no threshold is right on all rows
-1, 0, 1 with classes - + - | no-plane.md#what-a-witness-means | and the weights are 1, 2, 1
decision value z = w.x + b | planes.md#a-line-in-the-plane | \(z = w \cdot x + b\)
dot product | planes.md#a-line-in-the-plane | w_1 x_1 + w_2 x_2 + \dots + w_p x_p
hyperplane | planes.md#a-line-in-the-plane | is a point if there is one column, a line if there are two
a tie is predicted positive | planes.md#a-line-in-the-plane | So a tie is positive
a tie is a mistake while learning | planes.md#a-line-in-the-plane | A row on the plane is at no distance from
predicting sign(z) with sign(0) = +1 | planes.md#a-line-in-the-plane | with \(\text{sign}(0) = +1\)
a learner that begins with sign(0) = +1 | perceptron.md#the-rule | That learner may begin at \(w = 0\), too
functional margin y z | planes.md#a-line-in-the-plane | is the **functional margin** of the row
right is y z > 0: one condition for two | planes.md#a-line-in-the-plane | that is one condition instead of two
length of w, by Pythagoras | planes.md#the-weights-point-at-right-angles-to-the-plane | \sqrt{w_1^2 + \dots + w_p^2}
w is the normal of the plane | planes.md#the-weights-point-at-right-angles-to-the-plane | the **normal** of the plane
signed distance z / ||w|| | planes.md#z-is-a-distance-times-the-length-of-w | \frac{w \cdot x + b}{\lVert w \rVert}
foot of a row on the plane | planes.md#z-is-a-distance-times-the-length-of-w | is the **foot** of \(x\)
projection on a unit vector: x.u | planes.md#projections | how far \(x\) reaches along \(u\)
a projection is never longer | planes.md#projections | |x \cdot u| \le \lVert x \rVert
Cauchy and Schwarz | planes.md#projections | |v \cdot w| \le \lVert v \rVert \lVert w \rVert
cosine of an angle | planes.md#projections | cosine of the angle between
contours of z | planes.md#contours-of-z | a **contour** of \(z\)
contours in a picture | planes.md#contours-of-z | (../gallery/worked_sum.svg)
the longer w, the closer the contours | planes.md#contours-of-z | \(z\) rises like a steeper slope
(w, b) and (cw, cb) are one rule | planes.md#contours-of-z | no sign changes, and no distance changes
unit form: w/||w|| and an offset | planes.md#the-bias-and-the-constant-feature | unit_form([3, 4], -5)
its points project to -b/||w|| | planes.md#the-bias-and-the-constant-feature | that all points of the plane have
distance of the plane from the origin | planes.md#the-bias-and-the-constant-feature | \(|b| / \lVert w \rVert\), since
its point nearest the origin | planes.md#the-bias-and-the-constant-feature | f = -\frac{b}{\lVert w \rVert^2} \, w
the convention w.x = b | planes.md#the-bias-and-the-constant-feature | Their \(b\) is ours with the other sign
a separator cuts the ball of its rows | planes.md#the-bias-and-the-constant-feature | cuts the ball.** *Proof.*
so b^2 <= ||w||^2 R^2 | planes.md#the-bias-and-the-constant-feature | \(b^2 \le \lVert w \rVert^2 R^2\)
homogeneous form (w, b).(x, 1) | planes.md#the-bias-and-the-constant-feature | w \cdot x + b = (w, b) \cdot (x, 1)
||(x, 1)||^2 = ||x||^2 + 1 | planes.md#the-bias-and-the-constant-feature | \lVert (x, 1) \rVert^2 =
circle lifted to the sphere | planes.md#the-bias-and-the-constant-feature | to the unit *sphere*
geometric margin | planes.md#the-margin-and-why-a-narrow-one-is-unstable | \gamma = \min_i
rows may move by less than gamma | planes.md#the-margin-and-why-a-narrow-one-is-unstable | the plane still separates.**
a narrow margin turns far | planes.md#the-margin-and-why-a-narrow-one-is-unstable | gap 0.3: 45 degrees
a unit w* is not unique | planes.md#many-separators-one-widest | Such a \(w^*\) is not unique
the widest plane is unique | planes.md#many-separators-one-widest | there is one plane only
p true parameters | planes.md#how-many-dimensions | a plane has \(p\) true parameters
a prediction costs O(p) | planes.md#how-many-dimensions | \(O(p)\)
rows with few entries cost only these | planes.md#how-many-dimensions | cost only these
a picture shows a projection | planes.md#how-many-dimensions | never further apart
independent rows have every labelling | planes.md#how-many-dimensions | every labelling of them is separable
homogeneous margin gamma~ <= gamma | perceptron.md#with-a-bias | so never larger
gamma~ and gamma when a row is wrong | theory/index.md#notation | -3/√2 = -2.12 and -3
the perceptron's rule | perceptron.md#the-rule | \(w \leftarrow w + y x\)
a mistake is y z <= 0 | perceptron.md#the-rule | is a **mistake** if \(y z \le 0\)
with a strict < nothing is learnt from 0 | perceptron.md#the-rule | if ties were right nothing would ever be learnt
visits in turn until a clean pass | perceptron.md#the-rule | one pass over all rows without a mistake
six rows by hand: w = -x1 + x6 | perceptron.md#six-rows-by-hand | \(w\) becomes \(-x_1 + x_6\) = (3, 2)
an update drawn tip to tail | perceptron.md#what-an-update-does | (**tip to tail**)
one mistake raises y z by ||x||^2 | perceptron.md#what-an-update-does | by exactly \(\lVert x \rVert^2\)
an update can break what was right | perceptron.md#what-an-update-does | an update can break what was right
with a bias: by ||x||^2 + 1 | perceptron.md#with-a-bias | \(\lVert x \rVert^2 + 1\)
b changes by y | perceptron.md#with-a-bias | \(b \leftarrow b + y\)
rows far from the origin | perceptron.md#exercises | moved by 10: margin 1.581, 556 mistakes of 6,704
with an intercept read (x, 1) everywhere | theory/index.md#notation | R² as R² + 1 and γ as γ̃
w is a sum of rows | perceptron.md#w-is-a-sum-of-rows | w = \sum_i \alpha_i \, y_i \, x_i
radius R | perceptron.md#novikoffs-theorem | Let \(R\) be the length of the longest row
Novikoff's theorem | perceptron.md#novikoffs-theorem | \((R/\gamma)^2\) mistakes,** whatever the order
w_k.w* >= k gamma | perceptron.md#novikoffs-theorem | w_k \cdot u \ge k \gamma
||w_k||^2 <= k R^2 | perceptron.md#novikoffs-theorem | \lVert w_k \rVert^2 \le k R^2
the two meet | perceptron.md#novikoffs-theorem | \le \lVert w_k \rVert \le \sqrt{k} \, R
k^2 gamma^2 <= ||w_k||^2 <= k R^2 | theory/mistakes.md#novikoffs-theorem | **k² γ² ≤ ‖wₖ‖² ≤ k R²**
cosine to w* grows like sqrt k | theory/mistakes.md#novikoffs-theorem | **cos(wₖ, u) ≥ √k γ/R**
a stream without end: finitely many mistakes | perceptron.md#novikoffs-theorem | or new for ever
Block's statement | theory/mistakes.md#novikoffs-theorem | Block found the same in the same year
neither n nor p is in the bound | perceptron.md#why-the-bound-does-not-depend-on-the-number-of-rows | lengths are all
when more rows matter | perceptron.md#why-the-bound-does-not-depend-on-the-number-of-rows | makes \(\gamma\) smaller
the bound is attained | perceptron.md#rows-that-need-every-mistake | the bound cannot be improved in general
any order of rows | perceptron.md#the-order-of-the-rows | and for rows drawn at random
the order changes what is found | perceptron.md#the-order-of-the-rows | they end in four different vectors
half-spaces of w | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | a **half-space** of vectors
points y x in a semicircle | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | in one open semicircle
linear programme | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | is a **linear programme**
against them: rounding | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | with a tolerance
against them: all rows at once | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | at once.* True
against them: a wrong label | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | a shortfall \(s_i
against them: slow and long | perceptron.md#the-other-picture-half-spaces-and-a-linear-programme | Khachiyan 1979
separators are a convex cone | perceptron.md#convex-sets | **The separators of a table are a convex cone.**
convex functions have no traps | perceptron.md#convex-functions | Convex functions have no traps
counting mistakes is not convex | perceptron.md#convex-functions | The *number of mistakes* is not convex
w may stop before w* | perceptron.md#what-the-theorem-does-not-promise-the-best-plane | need not converge to
margin perceptron | perceptron.md#what-the-theorem-does-not-promise-the-best-plane | go on updating while \(y z \le m\)
half of the best margin | theory/margin.md#the-margin-perceptron | As m grows the margin tends to γ/2 at least
passive-aggressive steps, three kinds | theory/margin.md#passive-aggressive | τ = min(C, ℓ/q) and ℓ/(q + 1/(2C))
weights that grow exponentially | perceptron.md#the-growth-of-digits | Fibonacci numbers
bits of a whole-numbered w | perceptron.md#the-growth-of-digits | \(\log_2(R \sqrt{k}) + 1\) binary digits
where floats stop learning | perceptron.md#the-growth-of-digits | a float32 that has reached \(2^{24}\) stays there
one length of steps changes nothing | perceptron.md#exercises | a constant length of steps changes nothing
rows scaled to length 1 | perceptron.md#exercises | Divide each of the six rows by its length
gamma* <= ||w_k|| / k | perceptron.md#exercises | \(\gamma^* \le \lVert w_k \rVert / k\)
the mean of its mistakes is a convex combination | theory/mistakes.md#a-margin-for-free | is the mean of the signed rows
of the homogeneous one | theory/mistakes.md#a-margin-for-free | it bounds the homogeneous margin, not the geometric
slip: >= in the norm recurrence | perceptron.md#exercises | It is \(\le\): line 5
slip: bound said to grow with the margin | perceptron.md#exercises | twice the margin, a quarter of the mistakes
slip: strict < | perceptron.md#exercises | At \(w = 0\) every \(y z\) is 0, so nothing is ever learnt
slip: max(0, -yz) called the hinge | perceptron.md#exercises | the hinge loss is \(\max(0, 1 - y z)\)
slip: w and b never reset | perceptron.md#exercises | is not the run of the theorem, which starts from 0
slip: one pass taken for the whole run | perceptron.md#exercises | one pass need not be clean
slip: squares dropped in the proof of SGD | beside-others.md#one-inequality-five-readings | Some texts drop the squares
slip: equality called exclusive-or | no-plane.md#exclusive-or | that is **equality**, the opposite of exclusive or
the bound falls as the margin grows | theory/mistakes.md#novikoffs-theorem | The wider the margin the *lower* the bound
(R^2 + 1) / gamma~^2 | theory/mistakes.md#with-an-intercept | (R² + 1)/γ̃², which is
(R^2 + 1)(||w||^2 + b^2) / eps^2 | theory/mistakes.md#with-an-intercept | (R² + 1)(‖w‖² + b²)/ε²
2 (R^2 + 1) / eps^2 for ||w||, |b| <= 1 | theory/mistakes.md#with-an-intercept | ‖w‖ ≤ 1 and |b| ≤ 1
where |b*| exceeds 1 | theory/mistakes.md#with-an-intercept | only the first form holds
4 / gamma^2 inside the unit ball | theory/mistakes.md#with-an-intercept | 4/γ² if no row is longer than 1
on the way: ||w_k||^2 + b_k^2 <= 2k | theory/mistakes.md#with-an-intercept | ‖wₖ‖² + bₖ² ≤ 2k
on the way: w.w_k + b b_k >= k ||w|| gamma | theory/mistakes.md#with-an-intercept | w·wₖ + b bₖ ≥ k ‖w‖ γ
the least bound that applies | theory/mistakes.md#with-an-intercept | so the least of them does
what voids the bounds | theory/mistakes.md#what-voids-them | Weights, decay, projections and steps of other lengths
exclusive-or has no separator | no-plane.md#exclusive-or | No line separates these rows
a proof of no: the witness | no-plane.md#the-witness | A table with a witness has no separator
convex hulls that meet | no-plane.md#what-a-witness-means | A witness shows a point in both hulls
either a separator or a witness | no-plane.md#either-a-separator-or-a-witness | Gordan's theorem (1873)
without a separator it never ends | no-plane.md#what-the-perceptron-does-it-goes-round | the perceptron never ends
w stays bounded, and goes round | no-plane.md#what-the-perceptron-does-it-goes-round | perceptron cycling theorem
an epoch budget, a stop reason | why-did-my-perceptron-not-converge.md#there-is-none | There is always an epoch budget
pocket | no-plane.md#keep-the-best-vector-or-the-mean | that made the fewest mistakes on all rows
averaged perceptron | no-plane.md#keep-the-best-vector-or-the-mean | counted for as many visits as it lasted
((R + D) / gamma)^2 in one pass | theory/no-separator.md#one-pass-r-d2 | ((R + D)/γ)² mistakes, D² = Σ dᵢ²
the bound by hinge losses | theory/no-separator.md#with-hinge-losses | L = Σ ℓᵢ, ℓᵢ = max(0, 1 - yᵢ u·xᵢ/γ)
noise | margins-and-votes.md#noise | labels are mistyped, or the classes overlap
the error of a rule | margins-and-votes.md#noise | the probability that it is wrong on the next row
the last vector depends on the last mistakes | margins-and-votes.md#noise | depends most on its last mistakes
voted perceptron | margins-and-votes.md#four-ways-to-end-a-run | that most of \(w_1 \cdot x, \dots, w_T \cdot x\)
survival time | margins-and-votes.md#four-ways-to-end-a-run | It has **survived** them
ties of a vector and of the vote | margins-and-votes.md#four-ways-to-end-a-run | Ties are positive in both places
vote or mean, who wins | margins-and-votes.md#four-ways-to-end-a-run | 14 to 15 is what a fair coin would give
vote beside mean, in numbers | no-plane.md#keep-the-best-vector-or-the-mean | the vote is better in 14, the mean in 15
survival counts add up to m T | margins-and-votes.md#four-ways-to-end-a-run | is \(m T\), if the first row is a mistake
each is right on c or c - 1 | margins-and-votes.md#four-ways-to-end-a-run | is right on \(c_n\) or on \(c_n - 1\)
averages made lazily | theory/votes.md#the-averaged-perceptron | **The mean is w - u/T.**
counts of 64 bits | theory/votes.md#the-averaged-perceptron | a count in float32 would stand still at 2²⁴
mistakes are stored, not vectors | theory/votes.md#the-voted-perceptron | store the mistaken rows
one-vs-rest votes count until all stop | theory/votes.md#the-voted-perceptron | keeps counting until all have stopped
the vote errs at most 2 E[M] / (m + 1) | margins-and-votes.md#a-theorem-about-new-rows | \frac{2\,E[M]}{m+1}
that is for one pass | margins-and-votes.md#a-theorem-about-new-rows | It is about one pass
it covers neither last nor mean | margins-and-votes.md#a-theorem-about-new-rows | neither the last vector nor the mean
from mistakes to error | theory/votes.md#from-mistakes-to-error | √((2/n) ln(1/δ))
sharper and at any moment | theory/votes.md#from-mistakes-to-error | (λ K + ln(J/δ)) / (n (1 - e^-λ))
twice that for the vote | theory/votes.md#from-mistakes-to-error | twice the bound holds for their vote
no bound after a second pass | theory/votes.md#from-mistakes-to-error | After a second pass the rows are no longer new
one vector to deploy | theory/votes.md#from-mistakes-to-error | To deploy one vector
a wide margin and new rows | margins-and-votes.md#margins | \frac{2}{m+1} \left(\frac{R}{\gamma}\right)^2
what a margin is not | margins-and-votes.md#margins | It changes with the unit of a column
a source that drifts | margins-and-votes.md#when-the-source-changes | **drift**
lifelong learning | margins-and-votes.md#lifelong-learning-and-learners-that-choose-their-own-rows | as rows come
a figure in a game | margins-and-votes.md#lifelong-learning-and-learners-that-choose-their-own-rows | a figure in a game
why it diverged | margins-and-votes.md#lifelong-learning-and-learners-that-choose-their-own-rows | it **diverges**
labels in part | margins-and-votes.md#lifelong-learning-and-learners-that-choose-their-own-rows | is never corrected
0/1 loss and perceptron loss | beside-others.md#one-axis-of-losses | | perceptron | \(\max(0, -m)\)
hinge loss | beside-others.md#one-axis-of-losses | | hinge | \(\max(0, 1 - m)\)
logistic loss | beside-others.md#one-axis-of-losses | \(\ln(1 + e^{-m})\)
the losses in a picture | beside-others.md#one-axis-of-losses | (../gallery/losses.svg)
squared hinge and squared loss | beside-others.md#one-axis-of-losses | at \(m = 3\) it is 4
fewest mistakes is hard | beside-others.md#one-axis-of-losses | *NP-hard* in general
soft margins | beside-others.md#soft-margins-beside-the-perceptron | lets a row fall short, at a price
support vectors | beside-others.md#one-axis-of-losses | the *support vectors*, whose sum it is
logistic regression on separable rows | beside-others.md#on-separable-rows | has *no* best \(w\) there
Rocchio: w = u - v, b half way | beside-others.md#describe-the-classes-or-separate-them | \(b = -w \cdot (u + v)/2\)
where Rocchio comes from | beside-others.md#describe-the-classes-or-separate-them | (*retrieval*, Rocchio 1971)
Rocchio: several classes, one pass | beside-others.md#describe-the-classes-or-separate-them | one pass, row by row
when the means suffice | beside-others.md#describe-the-classes-or-separate-them | equally wide in every direction
discriminative and generative | beside-others.md#describe-the-classes-or-separate-them | they are **discriminative**
linear discriminant | beside-others.md#describe-the-classes-or-separate-them | w = \Sigma^{-1}(u - v)
Rocchio fails on separable rows | beside-others.md#describe-the-classes-or-separate-them | rows that a plane separates
the quiz u - v on the circle | beside-others.md#exercises | seven rows on the circle
its counterexample in a picture | beside-others.md#exercises | means_on_a_circle.svg
u - v is right on average | beside-others.md#exercises | right *on average*
stochastic gradient descent | beside-others.md#one-inequality-five-readings | w_{t+1} = w_t - \eta_t\,g_t
subgradient | beside-others.md#one-inequality-five-readings | that touches a convex function from below
regret | beside-others.md#1-as-regret-on-the-rows-as-they-came | is called the **regret**
the mean vector | beside-others.md#2-for-the-mean-vector-in-expectation | \sum \eta_t w_t / \sum \eta_t
rows drawn, not epochs | beside-others.md#2-for-the-mean-vector-in-expectation | shuffled epoch by epoch
projection on a ball | beside-others.md#5-with-and-without-a-ball | to the nearest point of a ball of radius
Novikoff's bound by descent | beside-others.md#3-as-a-mistake-bound-for-separable-rows | \(M \le R^2 \lVert u \rVert^2\)
(B^2 + G^2 sum eta^2) / (2 sum eta) | theory/descent.md#descent-on-a-convex-loss | (B² + G² Σ ηₜ²) / (2 Σ ηₜ)
constant step: B G / sqrt T | theory/descent.md#descent-on-a-convex-loss | **B G/√T**
falling steps: log T / sqrt T at any time | theory/descent.md#descent-on-a-convex-loss | of the order log T/√T
five rules for steps | theory/descent.md#five-rules-for-steps | by gradients (AdaGrad)
clipping | theory/descent.md#clipping-gradients | g ← g min(1, c/‖g‖)
products as new columns | curves.md#squares-and-products | Such new columns are called **features**
dual form | curves.md#only-products-are-needed | This is the **dual** form of \(w\)
kernel | curves.md#only-products-are-needed | is a **kernel**
rbf kernels separate all rows | curves.md#only-products-are-needed | different rows are always separable
what a kernel is not | curves.md#only-products-are-needed | Not every function is a kernel
a kernel's cost | curves.md#only-products-are-needed | each of them is kept, and each decision asks all of them
budgets of rows | theory/kernels.md#at-most-b-rows | (Projectron)
one hidden layer | curves.md#hidden-layers | **network with one hidden layer**
a node needs a bend | curves.md#hidden-layers | a plane of planes is a plane
two layers or three | curves.md#hidden-layers | who counts layers of *weights* says two
the network as a diagram | curves.md#hidden-layers | (../gallery/layers.svg)
two nodes for the exclusive-or | curves.md#hidden-layers | Two nodes suffice for the exclusive-or
the rule cannot train hidden nodes | curves.md#hidden-layers | The perceptron rule cannot train \(W\)
Hornik, Stinchcombe and White 1989 | curves.md#universal-approximation | a *squashing* function
what universal approximation does not say | curves.md#universal-approximation | That training finds the weights.
where a network fails, and why | curves.md#universal-approximation | either training was not good enough
their numbers: nodes against error | curves.md#universal-approximation | 256 threshold nodes: error 0.0136
nodes and accuracy | longer-experiments.md#which-side-of-a-sine-curve-3000-points-20000-new-ones-200-epochs | 0.9919
one class against the rest | beyond-two-classes.md#one-against-the-rest | all of them can learn in one pass
the multi-class update | beyond-two-classes.md#all-together | w_s \leftarrow w_s - x
its bound 2 R^2 / gamma^2 | beyond-two-classes.md#all-together | there are at most \(2 R^2/\gamma^2\) mistakes
sequences, Viterbi | beyond-two-classes.md#sequences | \max_s \big( v_{i-1}(s) + a(s, t) \big)
structured perceptron | beyond-two-classes.md#sequences | subtract 1 from each part of the best one
structures by functions | theory/structures.md#structures-tags-trees-anything-with-features | `joint_feature` is Φ
online: no row is kept | beyond-two-classes.md#online-learning | and never needs the row again
predict first, then learn | beyond-two-classes.md#online-learning | **Progressive validation.**
half-lives | beyond-two-classes.md#drift-and-half-lives | \(f = 2^{-1/h}\)
a stream that turns, made | beyond-two-classes.md#drift-and-half-lives | A true line that turns
McCulloch and Pitts | history.md#1943-units-that-fire-or-do-not | **Nothing is learnt** there
Hebb's rule | history.md#1949-hebbs-rule | **The perceptron does so at mistakes only**
Rosenblatt's machine | history.md#1957-to-1962-the-perceptron | the Mark I, had 400 photocells
Minsky and Papert | history.md#1969-what-one-layer-cannot-do | **Parity** of \(n\) points
backpropagation | history.md#1970-to-1986-backpropagation | if one works from the output backwards
Freund and Schapire's digits | history.md#1999-votes | On handwritten digits the voted perceptron
why the rule is called plausible | history.md#is-it-a-neuron | That is the main reason why it is called plausible
against it: digits | history.md#is-it-a-neuron | A synapse has few levels
against it: noise | history.md#is-it-a-neuron | A cell answers the same input differently
made rows with a known separator | commands/synth.md#linsep-synth | with a known separator
made rows: none rejected | commands/synth.md#how-the-rows-are-made | (a chi law)
made rows: a tenth on each side | commands/synth.md#how-the-rows-are-made | leaves each class at least a tenth
a margin that cannot be | commands/synth.md#linsep-synth | too wide for the ball is an error
moons, circles, wrong labels | commands/synth.md#how-the-rows-are-made | `make_moons`, two moons
words by Zipf's law | commands/synth.md#how-the-rows-are-made | in proportion to 1/j (Zipf)
updates against eps | perceptron.md#why-the-bound-does-not-depend-on-the-number-of-rows | updates_and_margin.md
"""
TAUGHT = [line.split(" | ", 2) for line in _TABLE.strip().splitlines()]
